this int x[string];

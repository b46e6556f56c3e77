typedef int t[string];

int a[int][string];

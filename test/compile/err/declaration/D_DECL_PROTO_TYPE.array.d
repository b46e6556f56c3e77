int f(int a[int]);

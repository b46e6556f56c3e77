int f(int);

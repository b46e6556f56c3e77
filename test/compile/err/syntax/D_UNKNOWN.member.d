struct s { int x; long x; };

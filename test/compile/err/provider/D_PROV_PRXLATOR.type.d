struct s { int a; };
provider p { probe a(int a) : (struct s a); };
BEGIN { exit(0); }

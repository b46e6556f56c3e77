struct s { struct s { int x; } y; };

struct s { int x; };
struct s { int y; };

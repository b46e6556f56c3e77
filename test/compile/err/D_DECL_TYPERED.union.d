struct s { int x; };
union s *p;

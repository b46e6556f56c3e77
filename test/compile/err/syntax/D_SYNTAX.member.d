struct s { foo_t x; };

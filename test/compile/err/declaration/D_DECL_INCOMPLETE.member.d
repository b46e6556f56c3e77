struct s { struct unknown m; };

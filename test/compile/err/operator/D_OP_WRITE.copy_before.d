struct s { int x; } v;
BEGIN { this->p = (int *)alloca(4); *this->p = 7; }
BEGIN { this->p = &v.x; }

struct s { int x; };
self struct s v;
BEGIN { this->p = (int *)alloca(4); *this->p = 7; }
BEGIN { this->p = &self->v.x; }

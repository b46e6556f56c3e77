self char a[8];
BEGIN { bcopy(alloca(8), &self->a[1], 4); }

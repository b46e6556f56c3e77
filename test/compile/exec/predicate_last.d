/* A predicate may use what its own clause makes: actions are compiled first, unless they need the predicate's variables. */
BEGIN /n < 3/ { printf("n %d\n", n++); }
BEGIN /n == 1/ { printf("n %d\n", n); }
BEGIN /!self->seen/ { self->seen = 1; printf("seen %d\n", self->seen); }
BEGIN /!self->seen/ { self->seen = 1; printf("not this\n"); }
BEGIN /!known[probename]/ { known[probename] = 1; printf("known\n"); }
BEGIN /!known[probename]/ { printf("not this\n"); }
BEGIN /self->begun == NULL/ { self->begun = probename; printf("begun %s\n", self->begun); }
BEGIN /i++ < 3/ { printf("i %d\n", i); }
BEGIN /(this->y = 4)/ { x = this->y; printf("x %d\n", x); }
BEGIN { exit(0); }

/* An element or a thread-local variable that an operator asks for a number is one, though it was never assigned. */
BEGIN /!pending[pid]/ { printf("none\n"); }
BEGIN /!self->mark && -self->count == 0 && !self->by["x", 1]/ { printf("no mark\n"); self->mark = 1 << 30; }
BEGIN /~seen[execname] == -1/ { printf("%d\n", sizeof (seen["x"])); }
BEGIN /self->mark/ { printf("mark\n"); exit(0); }

/* The actions need self->b, the predicate self->a: neither can be compiled first. */
BEGIN /self->a == 1 && (self->b = 2)/ { self->a = self->b; }

/* That pair_t is not known comes of the first error. */
typedef struct { int a b; } pair_t;
struct t { int x; };
BEGIN { trace(((pair_t *)0)->a); }
}
BEGIN { trace(sizeof (struct t), ); }

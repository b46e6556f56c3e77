/* Declarations that need all of C's declarators. */
typedef int (*handler_t)(int, char *, ...);
typedef struct list { struct list *next, *(*get)(void); handler_t table[4]; int (*matrix)[3]; } list_t;
union u { char c; short s; long l; struct { int lo, hi; }; };
enum e { A, B = A + 5, C } ;
typedef const volatile unsigned long long int big_t;
list_t *head;
self union u both;
this char name[16], *where;
string words[int, string, char *], line;
long double *wide;
BEGIN
{
	trace(sizeof (list_t) + sizeof (union u) * sizeof (big_t) + C);
	trace(offsetof(list_t, matrix));
	trace(head->next->table[2]);
	trace((*head->matrix)[1]);
	trace(sizeof (this->name) + sizeof head->matrix[0]);
}

/* args: -Z */
/* args[] has the types that a provider declaration tells, where all probes of the clause agree. */
struct line { int len; char *text; };
typedef struct lineinfo { long length; } lineinfo_t;
translator lineinfo_t < struct line *l > { length = l->len; };
provider simple {
	probe saw__line(struct line *, short, unsigned int);
	probe saw__word(struct line *, char *);
};

simple*:::saw-line
{
	trace(args[0]->len);
	trace(args[1]);
	trace(args[2]);
	trace(xlate <lineinfo_t> (args[0]).length);
}

simple*:::saw-line, simple*:::saw-word
{
	trace(args[0]->len);
	trace(args[1]);
}

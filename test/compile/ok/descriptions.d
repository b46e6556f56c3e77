/* args: -Z */
/* All forms of probe descriptions, and clauses that share them. */
BEGIN, END, ::BEGIN, dtrace:::ERROR,
pyth*:libc*:mallo[cd]:entry,
simple*:::saw-?ine
{
}
:mod:func: { }
func:name /pid/ { trace(1) }
1 { }

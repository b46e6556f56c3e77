/* Bytes that are no string are printed as text if they are printable and only NULs follow. */
typedef struct { short c[6]; } words_t;
words_t w;
BEGIN
{
	w.c[0] = 0x0961;
	w.c[1] = 'c';
	trace(w.c);
	trace("\n");
}
BEGIN { w.c[5] = 'x'; trace(w.c); }
BEGIN { w.c[5] = 0; w.c[0] = 0x0161; trace(w.c); }
BEGIN { w.c[0] = 0x8061; trace(w.c); }
BEGIN { w.c[0] = 0x6261; trace(w.c); trace("\n"); }
BEGIN { w.c[0] = 0; trace(w.c); }
BEGIN { exit(0); }

/* Memory of a program: alloca() and what is copied there; printm() and memstr(). */
int i;
BEGIN
{
	this->p = (char *)alloca(10);
	this->p[9] = 'z';
	printf("%d %c %d\n", this->p[0], this->p[9], this->p != NULL);
}
BEGIN { this->p = alloca(8); bcopy("abcdef", this->p, 7); printf("%s\n", stringof((char *)this->p)); }
BEGIN { this->p = alloca(300000); printf("never\n"); }
BEGIN
{
	this->p = (char *)alloca(11);
	bcopy("hello", this->p, 5);
	bcopy("there", this->p + 6, 5);
	printm(16, memref(this->p, 11));
	printf("%s|%s\n", memstr(this->p, '+', 11), memstr(this->p, '+', 0));
}
BEGIN { printm(4, memref("hello", 5)); printf("never\n"); }
BEGIN { printm(8, memref((void *)0x10, 5)); printf("never\n"); }
BEGIN { trace(stringof((char *)0x10)); }
BEGIN { printf("%d\n", *(int *)(i = 0x10)); }
BEGIN { exit(0); }
ERROR { printf("fault %d in action %d, offset known %d\n", arg4, arg2, (int)arg3 != -1); }

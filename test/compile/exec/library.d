/* args: -L ../lib */
/* Parts of a library mean what they say there, whatever the program calls its own things. */
enum {
	egg = 7
};

int P;

BEGIN
{
	memory = (long)alloca(64);
	*(int *)memory = 7;
	*(int *)(memory + 16) = 11;
	*(int *)(memory + 20) = 12;
	printf("%d %d %s\n", old_pair[0]->first, old_pair[0]->second, old_pair[0]->label);
	printf("%d %d\n", new_pair[16].first, new_pair[8 + 8].second);
	printf("%d\n", (*old_pair[16]).first);
	printf("%d %d %d\n", __exists(hen), __exists(new_pair[16].label), __exists(new_pair[16].second));
	printf("%d\n", __exists(nobody->knows) ? nobody->knows : 5);
	exit(0);
}

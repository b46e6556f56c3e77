/* Structures, unions and enumerations have tags of their own; D` names those of the program. */
struct record { int x; };
union record { char y; };
enum record { NO, YES };
extern int elsewhere[];
int elsewhere[3];
BEGIN
{
	printf("%d %d %d\n", sizeof (struct record), sizeof (union record), sizeof (enum record));
	printf("%d %d\n", sizeof (struct D`record), sizeof (union D`record));
	elsewhere[2] = 1;
	exit(0);
}

/* Enumerators of a program hide inlines of the libraries. */
enum protocols {
	IPPROTO_TCP = 60,
	TCP_STATE_CLOSED
};

BEGIN
{
	printf("%d %d %d\n", IPPROTO_TCP, TCP_STATE_CLOSED, IPPROTO_UDP);
	exit(0);
}

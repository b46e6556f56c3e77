/* What may be a lock or an IP address. */
struct lock { int x; };
struct in6_addr { uint8_t s6_addr[16]; };
uint32_t a;
uint8_t b[16];
BEGIN
{
	trace(mutex_owned((struct lock *)arg0));
	trace(mutex_owned((void *)arg0));
	trace(inet_ntoa((ipaddr_t *)alloca(4)));
	trace(inet_ntoa((uint32_t *)alloca(4)));
	trace(inet_ntoa((uint8_t *)alloca(4)));
	trace(inet_ntoa6((struct in6_addr *)alloca(16)));
	trace(inet_ntoa6(b));
	trace(inet_ntoa6(alloca(16)));
}

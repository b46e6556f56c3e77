/* args: -xbtfpath=TYPES -xnolibs */
/* Enumerators of the kernel have a backquote. */
BEGIN
/arg0 == GREEN/
{
}

/* What a translation to a pointer gives has -> and no dot. */
BEGIN
{
	trace(xlate <cpuinfo_t *> (1).cpu_id);
}

/* Providers of other systems that have a counterpart here. */
vfs:vop:vop_read:entry
{
}

/* Providers of other systems that have a counterpart here. */
fsinfo:::read
{
}

/* A probe of a function, without the process and with a colon too few. */
pid:malloc:entry
{
}

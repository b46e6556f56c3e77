/* Helpers are no probes: nothing of this could ever fire. */
dtrace:helper:ustack:
/arg0 == 5/
{
	"name"
}

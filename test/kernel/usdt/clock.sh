# SPDX-License-Identifier: MIT
# @@worlds: user the kernel's clock gives the time of firings in the module
# @@timeout: 180
# The time of a hit is between those that the program reads before and after it, and never goes
# backwards for a thread: in threads that share slots, in forked children, below signal handlers. Hits
# in the handlers do not wait long for a slot: some may be reported as missed.
. ../_lib.sh
NEAR=2000 # ns, since the machine may slew its clock strongly
check()
{
	dtrace -qx followfork -c "clock $1 $2" -n '
	self uint64_t last;
	clock$target:::hit { @hits = count(); }
	clock$target:::hit /timestamp < self->last/ { @backwards = count(); }
	clock$target:::hit /timestamp + '$NEAR' < arg0/ { @early = count(); }
	clock$target:::hit /self->last && self->last > arg1 + '$NEAR'/ { @late = count(); }
	clock$target:::hit { self->last = timestamp; }
	clock$target:::interrupt { this->now = timestamp; }
	END {
		printa("%@d hits\n", @hits);
		printa("%@d backwards\n", @backwards);
		printa("%@d too early\n", @early);
		printa("%@d too late\n", @late);
	}' 2>&1 | sed '/^$/d; /events missed/d'
}
check 1 300000
check 8 40000

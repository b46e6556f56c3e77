# SPDX-License-Identifier: MIT
# A chain of each kind is called and returns as often as a module calls it, with the module's arguments.
# @@kernels: 6.1 6.12 debug
# @@timeout: 60
. ../_lib.sh
export T
insmod /test/modules/chains.ko

# traced CLAUSES COMMAND - run dtrace with the command, and show the rows sorted.
traced()
{
	dtrace -qn "$1" -c "$2" | grep -v '^$' | sort
}
echo "-- called"
traced 'notifier:::call /pid == $target && arg2 == 0x1234/ { @[args[3], args[1]] = count(); }
	END { printa("%s %d: %@d\n", @); }' "sh -c 'echo 50 >/sys/module/chains/parameters/call'"
echo "-- which chain, and who calls it"
traced 'notifier:::call /arg2 == 0x1234/ { @[args[0] == &chains`chains_blocking ? "blocking" : args[0] == &chains`chains_raw ? "raw" :
		args[0] == &chains`chains_srcu ? "srcu" : args[0] == &chains`chains_atomic ? "atomic" : "?", execname] = count(); }
	END { printa("%s by %s: %@d\n", @); }' "sh -c 'echo 3 >/sys/module/chains/parameters/call'"
echo "-- returned"
traced 'notifier:::call /arg2 == 0x1234/ { self->event = arg1; self->chain = args[0]; }
	notifier:::return /self->event && args[0] == self->chain/ { @[self->event, args[1]] = count(); self->event = 0; }
	END { printa("%d: %x, %@d\n", @); }' "sh -c 'echo 7 >/sys/module/chains/parameters/call'"
rmmod chains
echo "-- of the kernel: an interface of the network goes up, and down"
traced 'notifier:::call /execname == "ip" && args[0] == &`netdev_chain && args[1] < 3/ { @[args[1]] = count(); }
	END { printa("event %d: %@d\n", @); }' "sh -c 'ip link set lo down; ip link set lo up; ip link set lo down; ip link set lo up'"

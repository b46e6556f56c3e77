# SPDX-License-Identifier: MIT
# Functions come to the chains of a module and leave them as often as it has them do so.
# @@kernels: 6.1 6.12
# @@needs: types
# @@timeout: 60
. ../_lib.sh
export T
insmod /test/modules/chains.ko

# traced CLAUSES COMMAND - run them together, and show the rows in an order of their own.
traced()
{
	dtrace -qn "$1" -c "$2" | grep -v '^$' | sort
}
traced 'notifier:::register, notifier:::unregister /pid == $target/ { @[probename, func((uintptr_t)args[1]->notifier_call)] = count(); }
	END { printa("%s %a %@d\n", @); }' "sh -c 'echo 9 >/sys/module/chains/parameters/change'"
traced 'notifier:::unregister /pid == $target/ { @[(uintptr_t)args[1]->notifier_call == (uintptr_t)&chains`chains_first ? "the first" : "the second"] = count(); }
	END { printa("at the end %s %@d\n", @); }' "rmmod chains"

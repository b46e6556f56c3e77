# SPDX-License-Identifier: MIT
# Functions are added to the chains of a module and removed as often as the module does that.
# @@kernels: 6.1 6.12 debug
# @@needs: types
# @@timeout: 60
. ../_lib.sh
export T
insmod /test/modules/chains.ko

# traced CLAUSES COMMAND - run dtrace with the command, and show the rows sorted.
traced()
{
	dtrace -qn "$1" -c "$2" | grep -v '^$' | sort
}
traced 'notifier:::register, notifier:::unregister /pid == $target/ { @[probename, func((uintptr_t)args[1]->notifier_call)] = count(); }
	END { printa("%s %a %@d\n", @); }' "sh -c 'echo 9 >/sys/module/chains/parameters/change'"
traced 'notifier:::unregister /pid == $target/ { @[(uintptr_t)args[1]->notifier_call == (uintptr_t)&chains`chains_first ? "the first" : "the second"] = count(); }
	END { printa("at the end %s %@d\n", @); }' "rmmod chains"

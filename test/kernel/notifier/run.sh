# SPDX-License-Identifier: MIT
# A probe fires for each function that a chain calls, where the kernel allows it; elsewhere the error says why not.
# @@kernels: 6.1 6.12 debug
# @@timeout: 60
. ../_lib.sh
insmod /test/modules/chains.ko
dtrace -qn 'notifier:::run /pid == $target/ { @[func(arg0)] = count(); } END { printa("%a %@d\n", @); }' \
	-c "sh -c 'echo 5 >/sys/module/chains/parameters/call'" >"$T/out" 2>"$T/err"
case $KERNEL in
6.1 | debug) grep -q 'none of the functions and tracepoints' "$T/err" && grep -q '^notifier run .*missing *notifier_run$' /proc/dtrace/triggers ;;
*) [ "$(grep chains "$T/out" | sort | tr '\n' ';')" = 'chains`chains_first 35;chains`chains_second 35;' ] ;;
esac && echo "each function, or why not" || cat "$T/out" "$T/err"
rmmod chains

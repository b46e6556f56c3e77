# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Tracing ends when the last of several -c and -p processes has ended; dtrace prints how they ended.
. ../_lib.sh
pipes go
victim wait "$T/go" exit 4 &
pid=$!
dtrace -c 'victim fire 1' -c "sh -c 'echo >$T/go; kill -9 \$\$'" -p $pid -n 'victim*:::tick { @ = count(); }' \
	2>"$T/err" | grep -v '^$'
sed "s/pid [0-9]*/pid N/" "$T/err" | sort
dtrace -q -c 'sh -c "exit 9"' -n 'BEGIN' 2>&1
echo "status $?"
dtrace -c 'true' -n 'END { exit(5); }' >"$T/out" 2>&1
echo "status $?"

# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# DTRACE_OPT_NAME=VALUE in the environment sets options; -x says more. DTRACE_DEBUG shows what the library does. The world of
# the environment does not matter for -G and -h.
DTRACE_OPT_QUIET= dtrace -n 'BEGIN { trace("quiet"); exit(0); }'
DTRACE_OPT_QUIET=yes DTRACE_OPT_STRSIZE=4 dtrace -n 'BEGIN { trace("string"); exit(0); }'
DTRACE_OPT_STRSIZE=4 dtrace -qx strsize=16 -n 'BEGIN { trace("string"); exit(0); }'
DTRACE_OPT_BUFSIZE=lots dtrace -qn 'BEGIN { exit(0); }'
echo "status $?"
DTRACE_OPT_NOSUCH=1 dtrace -qn 'BEGIN { exit(0); }'
echo "status $?"
DTRACE_DEBUG=1 dtrace -qn 'BEGIN { exit(0); }' 2>&1 | grep -o 'libdtrace DEBUG: program of'
dtrace -xdebug -xlibdir=. -en 'BEGIN { exit(0); }' 2>&1 | grep -o 'errno.d is loaded'
DTRACE_OPT_WORLD=kernel dtrace -x world=kernel -x world=user -qn 'BEGIN { printf("user\n"); exit(0); }'
DTRACE_OPT_WORLD=moon dtrace -qn 'BEGIN { exit(0); }'
echo 'dtrace:helper:ustack: { stringof("frame"); }' >"$T/helper.d"
for world in user kernel; do
	DTRACE_OPT_WORLD=$world dtrace -G -s "$T/helper.d" -o "$T/helper.o" && echo "made for $world"
done

# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# pid* puts breakpoints into files for all processes that execute them. It needs CAP_SYS_ADMIN: no right of the policy
# is enough, nor a capability that gives all rights.
. ./_lib.sh
D="pid*:$BIN/victim:fire_tick:entry { printf(\"fired\"); exit(0); }"
try()
{
	echo "--- $1:"
	shift
	"$@" dtrace -q -n "$D" -c "$BIN/victim fire 1" 2>&1 | sed "s,$BIN/,,"
	sites
}
policy 'user user dtrace_proc dtrace_user dtrace_kernel proc_owner'
try 'all four rights' become groups 1000 gid 1000 uid 1000 run
policy '# nobody'
try 'CAP_PERFMON and CAP_SYS_PTRACE' become keep 38 keep 19 gid 1000 uid 1000 run
try CAP_SYS_ADMIN become keep 21 gid 1000 uid 1000 run

# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# The policy file, which says who may trace: its syntax, and that a wrong file changes nothing.
# @@timeout: 90
. ./_lib.sh
try()
{
	printf '%s\n' "$@" >"$T/policy"
	dtrace-policy "$T/policy" 2>&1 | sed "s,$T,T,"
}
dtrace-policy && cat /proc/dtrace/security
echo "--- all forms"
policy '# comment' '' 'user user dtrace_proc dtrace_user # both' 'uid 7 priv_kernel' \
	'	group nogroup	priv_owner' 'gid 8 priv_proc priv_user' 'all dtrace_proc'
cat /proc/dtrace/security
user 'cat /proc/dtrace/security' | wc -l
echo "--- wrong lines"
try 'user nosuch dtrace_proc'
try 'all dtrace_proc' 'group nosuch dtrace_proc'
try 'user user dtrace_all'
try 'user user'
try 'user'
try 'someone dtrace_proc'
try 'uid 4294967295 dtrace_proc'
try 'uid 99999999999999999999 dtrace_proc'
try 'uid -1 dtrace_proc'
seq 1025 | sed 's/.*/uid & dtrace_proc/' >"$T/policy"
dtrace-policy "$T/policy" 2>&1 | sed "s,$T,T,"
echo "--- files that others could change"
policy 'uid 7 dtrace_proc'
echo 'all dtrace_kernel' >"$T/policy"
chown user "$T/policy"
dtrace-policy "$T/policy" 2>&1 | sed "s,$T,T,"
chown root "$T/policy"
chmod g+w "$T/policy"
dtrace-policy "$T/policy" 2>&1 | sed "s,$T,T,"
chmod 644 "$T/policy"
mkdir -m 777 "$T/open"
mv "$T/policy" "$T/open/policy"
dtrace-policy "$T/open/policy" 2>&1 | sed "s,$T,T,"
dtrace-policy "$T" 2>&1 | sed "s,$T,T,"
dtrace-policy "$T/absent" 2>&1 | sed "s,$T,T,"
cat /proc/dtrace/security
echo "--- only looked at"
echo 'all dtrace_proc' >"$T/new"
dtrace-policy -n "$T/new" && tail -n +2 /proc/dtrace/security
echo "--- only by root"
policy 'user user dtrace_proc dtrace_user dtrace_kernel proc_owner'
user "dtrace-policy $T/new" 2>&1
user "become userns run dtrace-policy /etc/dtrace/policy" 2>&1
policy '# nobody'
user "dtrace-policy $T/new" 2>&1
cat /proc/dtrace/security

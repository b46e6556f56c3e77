# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# proc_owner: the static probes of others' processes fire. Requests that need files of /proc which not all users may read are
# refused with the reason; a process that was stopped for them goes on.
. ./_lib.sh
policy 'user user dtrace_proc proc_owner'

# owner OPTION ARG - begin to trace root's victim, with the probe $probe.
owner()
{
	become groups 1000 gid 1000 uid 1000 run dtrace -Z "$@" \
		-n "BEGIN { printf(\"begun\"); } $probe { printf(\"of user %d\", uid); }" >"$T/out" 2>"$T/err" &
	D=$!
}

# ended STATUS - print how the victim and the session ended, without the victim's number.
ended()
{
	wait $D
	echo "victim $1, dtrace $?"
	grep -h -o -e 'of user [0-9]' -e 'failed to grab .*' -e '\^ .*' "$T/out" "$T/err" | sed "s/process [0-9][0-9]*/process PID/"
}
for probe in 'victim$target:::tick' 'pid$target:victim:fire_tick:entry'; do
	echo "--- -p, $probe"
	start victim fire 1
	owner -p "$V"
	await eval 'grep failed "$T/err" || grep begun "$T/out"'
	finish
	ended $?
	echo "--- -W, $probe"
	owner -W victim
	await grep waiting "$T/err"
	victim fire 1
	ended $?
done
sites

# SPDX-License-Identifier: MIT
# @@long: yes
# @@kernels: 6.1 6.12
# Each right permits its own requests, and no other right permits them.
# @@timeout: 90
. ./_lib.sh
pipes up go up2 go2
chmod 666 "$T/up" "$T/go"
user "exec $BIN/victim tell $T/up wait $T/go" &
read -r V <"$T/up"
"$BIN/victim" tell "$T/up2" wait "$T/go2" &
read -r ROOTS <"$T/up2"
seen()
{
	for description in "victim$V:::tick" "victim$ROOTS:::tick" profile-97 tick-1s dtrace:::BEGIN; do
		if user "dtrace -l -n '$description'" >/dev/null 2>&1; then
			printf ' %s' "$description"
		fi
	done | sed -e "s/$V/OWN/" -e "s/$ROOTS/ROOTS/"
	echo
}
for right in dtrace_proc dtrace_user dtrace_kernel proc_owner 'dtrace_proc proc_owner'; do
	policy "user user $right"
	echo "$right:$(seen)"
done
banner=$(sed -n 's/^\([0-9a-f]*\) . linux_banner$/0x\1/p' /proc/kallsyms)
echo "--- actions of the kernel"
for right in 'dtrace_proc dtrace_user proc_owner' dtrace_kernel; do
	policy "user user $right"
	echo "$right:"
	[ "$right" = dtrace_kernel ] || user "dtrace -w -q -n 'BEGIN { panic(); }'" 2>&1
	for action in 'stack()' 'sym(1)' 'mod(1)' 'chill(1)' 'breakpoint()' \
		'trace(curthread != 0)' \
		"trace(*(char *)$banner)" 'trace(stackdepth > 0)' 'trace(caller != 0)'; do
		user "dtrace -w -q -n 'BEGIN { $action; } BEGIN { exit(0); }'" >"$T/out" 2>&1 &&
			! grep -q 'invalid kernel access' "$T/out" &&
			echo "	$action" | sed "s/$banner/banner/"
	done
done
echo "--- is no process's memory, whoever asks"
for right in 'dtrace_proc dtrace_user proc_owner' dtrace_kernel; do
	policy "user user $right"
	user "dtrace -w -q -n 'BEGIN { trace(copyinstr($banner)); } BEGIN { trace(*(char *)copyin($banner, 1)); }
		BEGIN { copyout(alloca(8), $banner, 8); } BEGIN { exit(0); } ERROR { printf(\"fault %d\n\", arg4); }'" 2>/dev/null
done
echo go >"$T/go"
echo go >"$T/go2"
wait

# SPDX-License-Identifier: MIT
# In each probe of the stable providers, also in interrupts and in threads that end, the variables of the current thread are
# right, and none of them has a fault.
# @@long: ci
# @@kernels: 6.1 6.12
# @@needs: types
# @@timeout: 90
. ../io/_lib.sh
disk size=80m
cat >"$T/current.d" <<'EOD'
#pragma D option quiet
#pragma D option dynvarsize=4m
proc:::, sched:::, io:::, ip:::, tcp:::, udp:::, sysinfo:::, fsinfo:::, lockstat:::adaptive-acquire, vminfo:::pgfault, mib:::TcpOutSegs,
notifier:::, cpc:::page_faults-all-1, cpc:::cpu_clock-all-1000000, sdt:::interrupt-start, sdt:::callout-start, sdt:::cyclic-start, sdt:::taskq-exec-start {
	this->bad = curpsinfo->pr_argc < 0 || curpsinfo->pr_argc > 100 || curthread->pid != tid || curthread->tgid != pid || curpsinfo->pr_pid != pid || curlwpsinfo->pr_lwpid != tid ||
	    curpsinfo->pr_ppid != ppid || curlwpsinfo->pr_name != execname || curpsinfo->pr_uid != uid || curpsinfo->pr_gid != gid ||
	    curpsinfo->pr_addr != (uintptr_t)curthread || curcpu->cpu_id != cpu;
	@bad[probeprov, probename, this->bad ? "wrong" : "right"] = count();
	this->cwd = cwd;
	this->root = root;
	this->fds = fds[0].fi_pathname;
	this->args = curpsinfo->pr_psargs;
	providers[probeprov] = 1;
	all++;
}
/* The memory and the files of a program. While execve() is under way it has no arguments. */
proc:::, sched:::, io:::, ip:::, tcp:::, udp:::, sysinfo:::, fsinfo:::, lockstat:::adaptive-acquire, vminfo:::pgfault, mib:::TcpOutSegs,
notifier:::, cpc:::page_faults-all-1, cpc:::cpu_clock-all-1000000, sdt:::interrupt-start, sdt:::callout-start, sdt:::cyclic-start, sdt:::taskq-exec-start
/execname == "lives" && (curthread->flags & 4) == 0 && strstr(this->args, "lives ") == this->args/ {
	@own[this->cwd == $$1 ? "its folder" : this->cwd, this->root, this->args, curpsinfo->pr_argc, this->fds] = count();
}
dtrace:::ERROR { @errors[probename, arg4] = count(); }
END { printf("%s\n", all > 1000 ? "more than 1000" : "too few"); printa("%s %s %s %@d\n", @bad);
	printa("own %s %s %s (%d), reads %s: %@d\n", @own);
	printf("of %d providers\n", providers["proc"] + providers["sched"] + providers["io"] + providers["ip"] + providers["tcp"] +
	    providers["udp"] + providers["sysinfo"] + providers["fsinfo"] + providers["lockstat"] + providers["vminfo"] + providers["mib"] +
	    providers["notifier"] + providers["cpc"] + providers["sdt"]); }
EOD
cd "$T/mnt" || exit
dtrace -s "$T/current.d" "$(pwd)" -c "sh -c 'dd if=/dev/zero of=$T/mnt/large bs=64k count=30 conv=fsync; lives switches 20; lives tree 5; lives threads 5; lives signals; lives faults; talks tcp4 2 10; talks udp6 2 10; ip link set lo mtu 65535; ip link set lo mtu 65536'" \
	>"$T/out" 2>"$T/err"
grep ' wrong ' "$T/out"
sed -n 's/\(own.*\): .*/\1/p; /^more\|^too\|^of/p' "$T/out" | grep -v ' (0), ' | sort
# While the kernel copies the page of the arguments for a child, the clock's interrupt does not find it: nor do the timers that it runs.
grep -v -e records -e '\(sched:vmlinux::\(tick\|wakeup\|enqueue\)\|cpc:::cpu_clock-all-1000000\|sdt:vmlinux::[a-z-]*\)): invalid address .* the page is not in memory now$' "$T/err"
grep -q '^sched tick right ' "$T/out" || echo "no tick is right"
cd /
no_disk

# SPDX-License-Identifier: MIT
# @@long: ci
# @@kernels: 6.1 6.12
# A process in a container has libraries of its own, with the same names as libraries outside. dtrace finds its functions
# in its files, by pid$target and pid*, and names stacks from them: for root, and for the user of the process.
# @@timeout: 90
. ../permissions/_lib.sh

# container - make a root directory $ROOT with a dynamic program, /bin/inside, and a C library of its own. Only this library
# has a function _IN_doallocbuf.
container()
{
	ROOT=$T/root
	mkdir "$ROOT"
	mount -t tmpfs -o mode=755 none "$ROOT"
	mkdir -p "$ROOT/bin" "$ROOT/pipes" "$ROOT/proc" "$ROOT/dev/dtrace"
	cp "$BIN/victim" "$ROOT/bin/inside"
	cp "$BIN/become" "$ROOT/bin/become"
	start victim fire 1
	for library in $(awk '$6 ~ /\.so/ { print $6 }' "/proc/$V/maps" | sort -u); do
		mkdir -p "$ROOT${library%/*}"
		cp -L "$library" "$ROOT$library"
	done
	finish
	mkdir -p "$ROOT/lib64"
	cp -L /lib64/ld-linux-x86-64.so.2 "$ROOT/lib64"
	sed -i 's/_IO_doallocbuf/_IN_doallocbuf/' "$(find "$ROOT" -name 'libc.so.6')"
	touch "$ROOT/dev/dtrace/helper"
	mount --bind /dev/dtrace/helper "$ROOT/dev/dtrace/helper"
	for pipe in up go finish; do
		mkfifo -m 666 "$ROOT/pipes/$pipe"
	done
	chmod 755 "$T"
}

# enter COMMAND... - run a command in the container, in new pid and mount namespaces; it must carry out the verbs of a
# victim, and waits. Set $V to its number outside.
enter()
{
	become pidns run sh -c "mount -t proc none '$ROOT/proc'
		exec chroot '$ROOT' $* tell /pipes/up wait /pipes/go fire 2 tell /pipes/finish" &
	read -r _ <"$ROOT/pipes/up"
	V=$(pidof inside)
}

# leave - let the victim go on and wait for its end.
leave()
{
	echo go >"$ROOT/pipes/go"
	cat "$ROOT/pipes/finish" >/dev/null
}

policy 'user user dtrace_proc'
container
probes='
victim$target:::tick { printf("%d %d", arg0, uid); ustack(1); }
pid$target:libc.so.6:_IN_doallocbuf:entry { printf("%s\n", probefunc); self->in = 1; }
pid$target:libc.so.6:malloc:entry /self->in/ { printf("%s", probefunc); ustack(3); }
pid$target:libc.so.6:malloc:return /self->in/ { self->in = 0; }'

# traced - let the victim go on, and print the session's output.
traced()
{
	leave
	wait $TRACE
	output | sed 's/+0x[0-9a-f]*//'
	wait
}

echo "--- root"
enter /bin/inside
trace -p "$V" -n "$probes" \
	-n 'pid*:libc.so.6:malloc:entry /self->in/ { @[probeprov, execname, pid == $target] = count(); }
	END { printa("%s %s %d %@d\n", @); }'
traced
echo "--- a user"
enter /bin/become groups 1000 gid 1000 uid 1000 run /bin/inside
UNDER='become groups 1000 gid 1000 uid 1000 run' trace -p "$V" -n "$probes"
traced
umount "$ROOT/dev/dtrace/helper" "$ROOT"

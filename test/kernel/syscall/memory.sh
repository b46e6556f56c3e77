# SPDX-License-Identifier: MIT
# Pointers in args[] lead to memory of the process: strings, members, elements, whole structures, and what pointers there lead to,
# at once or by a variable.
# @@needs: types
# @@kernels: 6.1 6.12
# @@timeout: 60
. ../_lib.sh
for program in calls calls-i386; do
	echo "-- $program"
	dtrace -qn 'syscall::openat:entry /pid == $target && args[1] == "/nonexistent"/ {
			printf("%s %s %d %s %c%c\n", args[1], stringof(args[1]), strlen(args[1]), basename(args[1]), args[1][1], *(args[1] + 2));
			tracemem(args[1], 4); printf("\n"); self->path = args[1]; }
		syscall::openat:return /self->path/ { printf("%s\n", self->path); exit(0); }' -c "$BIN/$program plain" | sed '/^$/d; s/ *$//'
done
echo "-- structures"
dtrace -qn 'syscall::connect:entry /args[1]->sa_family == AF_INET/ {
		this->in = (struct sockaddr_in *)args[1];
		printf("%s %s %d\n", inet_ntop(AF_INET, &this->in->sin_addr), inet_ntoa(&this->in->sin_addr.s_addr), ntohs(this->in->sin_port) > 0);
		print(this->in->sin_addr); print(args[1]->sa_data[2]);
		this->copy = *this->in; printf("%x\n", ntohl(this->copy.sin_addr.s_addr));
		this->old = (struct in_addr *)copyin((uintptr_t)&this->in->sin_addr, sizeof (struct in_addr));
		printf("%s\n", inet_ntoa(&this->old->s_addr)); exit(0); }' -c "sh -c '$BIN/talks own tcp4 1 9 >/dev/null'" | sed '/^$/d'
echo "-- pointers there"
dtrace -qn 'syscall:linux:execve:entry /pid == $target/ { self->argv = args[1]; }
	syscall:linux:execve:entry /pid == $target && stringof(self->argv[0]) == "echo"/ { printf("%s %s\n", stringof(args[1][1]), stringof(*(self->argv + 2))); }' \
	-c "sh -c 'exec echo one two'" | sed '/^$/d'
echo "-- no memory"
dtrace -qn 'syscall::write:entry /pid == $target && arg0 == -1U/ { self->at = args[1] - arg1; }
	syscall::write:entry /self->at != NULL || (pid == $target && arg0 == -1U)/ { trace(*(self->at + 8)); }
	ERROR { @ = count(); } END { printa("%@d faults\n", @); }' -c "$BIN/calls plain" 2>/dev/null | sed '/^$/d'

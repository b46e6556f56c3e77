# SPDX-License-Identifier: MIT
# What one clause has copied from a process, later clauses of the same firing read by a this-> variable.
# @@kernels: 6.1 6.12
# @@needs: types
. ../_lib.sh
dtrace -qn '
	syscall::connect*:entry { this->s = (struct sockaddr_in *)copyin(arg1, sizeof (struct sockaddr)); this->f = this->s->sin_family; }
	syscall::connect*:entry /this->f == AF_INET/ { self->port = ntohs(this->s->sin_port); self->address = inet_ntop(this->f, &this->s->sin_addr); }
	syscall::connect*:entry /this->f == AF_INET6/ { this->v6 = (struct sockaddr_in6 *)copyin(arg1, sizeof (struct sockaddr_in6)); }
	syscall::connect*:entry /this->f == AF_INET6/ { self->port = ntohs(this->v6->sin6_port); self->address = inet_ntop(this->f, &this->v6->sin6_addr); }
	syscall::connect*:return /self->port/ { printf("%s %d: %d\n", self->address, self->port, errno); self->port = 0; self->address = 0; }' \
	-c 'sh -c "{ talks own tcp4 1 9; talks own tcp6 1 9; talks own refused4 2; } >/dev/null"' | sed /^$/d

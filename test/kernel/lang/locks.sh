# SPDX-License-Identifier: MIT
# @@worlds: kernel locks of the kernel
# Subroutines return whether and by which thread a lock of the kernel is held, and its kind.
# @@needs: types
# @@also: 6.1-rt 6.12-rt
dd if=/dev/zero of="$T/big" bs=1M count=16 2>/dev/null
while :; do (dd of=/dev/null bs=1M; :) <"$T/big" 2>/dev/null; done &
trap "kill $!" EXIT
dtrace -q -n '
int m;
int w;
inline struct mutex *POS = &((struct file *)getf(0))->f_pos_lock;
inline struct rw_semaphore *MM = &curthread->mm->mmap_lock;
profile-4999 /execname == "dd" && !m && getf(0) != NULL && mutex_owned(POS)/
{
	m = 1;
	printf("mutex %d\n", mutex_owner(POS) == curthread);
}
profile-4999 /execname == "sh" && arg0 && curthread->mm != NULL && !w && rw_write_held(MM)/
{
	w = 1;
	printf("rwsem %d %d\n", rw_iswriter(MM), rw_read_held(MM));
}
tick-10ms /m && w/ { exit(0); }
tick-20s { printf("not seen: mutex %d rwsem %d\n", m, w); exit(1); }' | grep . | sort -u
dtrace -q -n '
BEGIN
{
	printf("%d %d\n", mutex_type_adaptive(&`cgroup_mutex), mutex_type_spin(&`cgroup_mutex));
	printf("%p %d\n", mutex_owner(&`cgroup_mutex), mutex_owned(&`cgroup_mutex));
	this->s = (spinlock_t *)&`cgroup_mutex;
	printf("%d %d\n", mutex_type_adaptive(this->s), mutex_type_spin(this->s));
	this->r = (rwlock_t *)&`file_systems_lock;
	printf("%d %d %d\n", rw_read_held(this->r), rw_write_held(this->r), rw_iswriter(this->r));
	exit(0);
}' | grep .
dtrace -q -n 'BEGIN { trace(mutex_owned((struct mutex *)0x10)); } ERROR { exit(0); }' 2>&1 | grep .

# SPDX-License-Identifier: MIT
# @@needs: types
# Members that structures of other kernels have: the message says what to use on Linux.
for member in '(vnode_t *)0)->v_path' '(conn_t *)0)->conn_lport' '(mblk_t *)0)->b_rptr' '(struct bio *)0)->b_bcount' \
	'(tcp_t *)0)->tcp_state' '(cred_t *)0)->cr_uid' '(struct inode *)0)->nosuch'; do
	dtrace -e -n "BEGIN { trace(($member); }" 2>&1 | sed -n '1s/.*list: //p;$s/^ *^* *//p'
done
dtrace -e -n 'BEGIN { trace(sizeof (struct proc)); }' 2>&1 | sed -n '1s/.*list: //p;$s/^ *^* *//p'
dtrace -qn 'BEGIN { printf("%d %d\n", SIGRTMIN, SIGRTMAX); exit(0); }'

# SPDX-License-Identifier: MIT
# @@worlds: kernel DTRACE_DOF_INIT_DEVNAME names a device, and the user world registers without one
# @@kernels: 6.1 6.12
# DTRACE_DOF_INIT_DISABLE, _DEVNAME and _DEBUG.
. ../_lib.sh
trace -n 'victim*:::tick { printf("tick %d\n", arg0); }'
DTRACE_DOF_INIT_DISABLE=1 victim fire 1
DTRACE_DOF_INIT_DEVNAME=/dev/nothing victim fire 2
DTRACE_DOF_INIT_DEVNAME=/dev/nothing DTRACE_DOF_INIT_DEBUG=1 victim fire 2 2>&1 |
	grep -c /dev/nothing
victim fire 1 print done
untrace

# SPDX-License-Identifier: MIT
# Enabling one probe does not run the code that another one's _ENABLED() guards.
dtrace -q -c 'victim guarded 3 fire 1' -n 'victim$target:::tick { printf("tick %d\n", arg0); }'

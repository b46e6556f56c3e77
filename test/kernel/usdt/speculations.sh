# SPDX-License-Identifier: MIT
# A speculation with records of several CPUs is committed or discarded as a whole, also if no probe
# fires later. Without the module it can be used again at once.
. ../_lib.sh
run()
{
	dtrace -q -x nspec=$1 -c 'victim repeat 5 cpu 0 fire 1 pair 1 cpu 1 pair 2 dozen end' -n '
	int n;
	victim$target:::tick { self->s = speculation(); self->s ? ++used : ++missed; }
	victim$target:::pair /self->s/ { speculate(self->s); printf("%d:%d\n", n + 1, arg0); }
	victim$target:::dozen { n++; }
	victim$target:::dozen /n % 2 && self->s/ { commit(self->s); }
	victim$target:::dozen /n % 2 == 0 && self->s/ { discard(self->s); }
	END { printf("%d used, %d missed\n", used, missed); }'
}
run 8
if [ "$KERNEL" = user ]; then run 1; else run 8; fi

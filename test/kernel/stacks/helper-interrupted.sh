# SPDX-License-Identifier: MIT
# @@worlds: user firings in the kernel cannot be interrupted for good
# Firings are interrupted for good, most of them while a ustack helper runs: by a signal handler
# that leaves by siglongjmp(), or since their process is killed. Later firings run as before.
# @@timeout: 120
. ../_lib.sh
for how in jump kill; do
	dtrace -qx followfork -c "interrupted $how 4001" -o "$T/counted-$how" -n '
	interrupted$target:::hit { this->at = arg0; @stacks[jstack(1, 64)] = count(); }
	interrupted$target:::plain { this->a = "a"; this->n = arg0; }
	interrupted$target:::plain /strlen(strjoin(this->a, "bc")) == 3 && this->n == arg0/ {
		@ = count();
	}
	END { trunc(@stacks); printa("fired %@d\n", @); }' >"$T/fired" 2>"$T/said"
	sed -i /^$/d "$T/counted-$how"
	diff "$T/fired" "$T/counted-$how" && echo $how
	cat "$T/said"
done

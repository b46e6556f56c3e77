# SPDX-License-Identifier: MIT
# @@worlds: user firings in the kernel cannot be interrupted for good
# Firings are interrupted for good, after each of many numbers of instructions: by signal handlers
# that leave by siglongjmp(), by the end of their threads or processes. Later hits are complete.
# @@timeout: 120
. ../_lib.sh
for how in "jump 211" "move 211" "exit 421" "kill 421" "fork 421"; do
	dtrace -qx followfork -c "interrupted $how" -o "$T/counted-$how" -n '
	int flip[int], v[int]; string words[int]; self int on, each[int];
	interrupted$target:::hit, interrupted$target:::plain {
		flip[arg0 % 3] = flip[arg0 % 3] ? 0 : arg0 + 1;
		self->on = self->on ? 0 : 1;
		self->each[arg0 % 5] = self->each[arg0 % 5] ? 0 : 1;
		words[arg0 % 4] = copyinstr(arg1);
	}
	interrupted$target:::plain { @ = count(); }
	interrupted$target:::set { v[arg0] = arg0 + 1; self->each[arg0] = arg0 + 1; }
	interrupted$target:::get /v[arg0] != arg0 + 1 || self->each[arg0] != arg0 + 1/ {
		@bad = count();
	}
	END { printa("fired %@d\n", @); printa("wrong %@d\n", @bad); }' >"$T/fired" 2>"$T/said"
	sed -i /^$/d "$T/counted-$how"
	diff "$T/fired" "$T/counted-$how" && echo "$how"
	cat "$T/said"
done

# SPDX-License-Identifier: MIT
# @@worlds: kernel symbols of the kernel
# Load averages, by their names on Linux and on other systems, are those of /proc/loadavg.
# @@needs: types
tries=0 # the kernel may change them meanwhile
until [ "$same" ] || [ $((tries += 1)) -gt 9 ]; do
	before=$(cut -d ' ' -f 1-3 /proc/loadavg)
	dtrace -qn 'inline int part[int load] = (load & 2047) * 100 / 2048;
	BEGIN {
		this->a = (int)`avenrun[0] + 10; this->b = (int)`avenrun[1] + 10; this->c = (int)`avenrun[2] + 10;
		printf("%d.%02d %d.%02d %d.%02d\n", this->a >> 11, part[this->a], this->b >> 11, part[this->b], this->c >> 11, part[this->c]);
		this->a = `hp_avenrun[0] + 320; this->b = `hp_avenrun[1] + 320; this->c = `hp_avenrun[2] + 320;
		printf("%d.%02d %d.%02d %d.%02d\n", this->a / 65536, this->a % 65536 * 100 / 65536, this->b / 65536, this->b % 65536 * 100 / 65536,
			this->c / 65536, this->c % 65536 * 100 / 65536);
		exit(0); }' >"$T/out"
	[ "$before" = "$(cut -d ' ' -f 1-3 /proc/loadavg)" ] && same=yes
done
sed "/^$/d; s/^$before\$/as the kernel tells/" "$T/out"

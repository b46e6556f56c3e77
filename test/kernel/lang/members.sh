# SPDX-License-Identifier: MIT
# @@worlds: kernel translators of objects of the kernel
# Each member of each translator of the libraries compiles, with this kernel's types.
# @@timeout: 60
# @@needs: types
libs=/usr/local/lib/dtrace
for lib in "$libs"/*.d; do
	awk -f _members.awk "$lib"
done >"$T/members"
while IFS='|' read -r out in member; do
	case $member in
	pr_start | pr_time)
		part=.tv_nsec ;;
	cpu_info)
		part=.pi_clock ;;
	*)
		part= ;;
	esac
	echo "BEGIN { trace((xlate <$out> (($in)arg0)).$member$part); trace((xlate <$out *> (($in)arg0))->$member$part); }"
done <"$T/members" >"$T/all.d"
# The list is complete: members are lines of the libraries that end in a semicolon and give a value.
echo "$(awk '/^translator/,/^}/' "$libs"/*.d | grep -c '^	[a-z0-9_]* =') members, $(wc -l <"$T/all.d") compiled" |
	awk '{ print ($1 == $3 && $1 > 200) ? "all" : $0 }'
dtrace -e -s "$T/all.d"

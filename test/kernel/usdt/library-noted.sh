# SPDX-License-Identifier: MIT
# @@worlds: kernel counters of registrations in the module
# @@kernels: 6.1 6.12
# A program registers its own probes, but not those that a library of it has in SystemTap's notes: -l -p
# shows them, and -p registers them, once. It does not register a library that registers itself.
. ../_lib.sh
registrations()
{
	awk -v pid="$V" '$1 == pid { print $3, "registrations,", $4, "sites" }' /proc/dtrace/processes
}
refused()
{
	awk '$1 == "refused" { print $2 }' /proc/dtrace/stats
}
before=$(refused)
start victim dlopen "$BIN/libplug-noted.so" tell "$T/up" wait "$T/go" fire 1 plug 2 \
	dlclose dlopen "$BIN/libplug.so" plug 1 text
release
read -r V <"$T/up"
dtrace -l -P "plug$V" 2>&1 | grep -v PROVIDER | sed "s/$V/PID/"
dtrace -l -p "$V" | awk -v provider="plug$V" '$2 == provider { print $3, $4, $5 }'
sites=$(registrations)
trace -p "$V" -n 'victim$target:::tick, plug$target:::hit { printf("%s %s %d\n", probemod, probename, arg0); }'
registrations >"$T/one"
[ "$(cat "$T/one")" != "$sites" ] || echo "nothing was registered: $sites"
dtrace -qn 'BEGIN { exit(0); }' -p "$V" >/dev/null
registrations | diff "$T/one" -
echo "$(($(refused) - before)) refused"
finish
wait $TRACE
output

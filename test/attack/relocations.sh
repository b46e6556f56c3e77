# SPDX-License-Identifier: MIT
# Relocations that make their own table longer: the engine counts them as it applies them, and a process whose registration takes long can
# be killed.
# @@timeout: 20
. ./_lib.sh

su user -c "exec $BIN/attack-relocations grow" >"$T/grow" &
grow=$!
await grep -q go "$T/grow"
ended() { ! alive $grow; }
tries=0
until ended || [ $tries -gt 50 ]; do
	usleep 100000
	tries=$((tries + 1))
done
ended || dies $grow
cat "$T/grow"
tail -n +2 /proc/dtrace/helper_errors | grep -o "DOF: more than.*"

# A control: the file without such tables is accepted, again and again, and its process can be killed.
su user -c "exec $BIN/attack-relocations again" >"$T/again" &
again=$!
await grep -q go "$T/again"
usleep 300000
dies $again
cat "$T/again"

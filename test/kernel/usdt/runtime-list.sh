# SPDX-License-Identifier: MIT
# @@long: yes
# @@kernels: 6.1 6.12
# The listing of probes: nothing before dtp_provider_enable(), types after it, nothing after the end.
. ../_lib.sh
pipes one two three
list()
{
	dtrace -l -n "app$V:::" 2>&1 | sed "s/app$V/appPID/; s/^ *[0-9][0-9]* *appPID */appPID /"
}
runtime tell "$T/one" provider app probe main request__done 3 many 2 wait "$T/two" enable \
	tell "$T/one" wait "$T/two" remove p0 tell "$T/one" wait "$T/two" &
read -r V <"$T/one"
list
echo go >"$T/two"
read -r V <"$T/one"
list
dtrace -lv -n "app$V:::request-done" | grep 'args\['
echo go >"$T/two"
read -r V <"$T/one"
list
echo go >"$T/two"
wait
list
rows fasttrap

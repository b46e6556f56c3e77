# SPDX-License-Identifier: MIT
# Each event of /proc/vmstat, the lines from pgpgin on, has a probe of its name.
# @@kernels: 6.1 6.12 debug
# @@needs: vmevents
dtrace -l -P vminfo | awk 'NR > 1 { print $NF }' | sort >"$T/probes"
sed -n '/^pgpgin /,$s/ .*//p' /proc/vmstat | grep -v '^nr_' | sort >"$T/lines"
[ "$(grep -c '' "$T/lines")" -gt 60 ] && echo "more than 60 lines"
grep -vxFf "$T/probes" "$T/lines" || :

# SPDX-License-Identifier: MIT
# A listing suggests the function or module that was probably meant, as enabling does. Enabling also
# names -Z, since the module may be mapped later.
for probe in 'a.out:mian:entry' ':mian:entry' 'victim:mian:return' 'victmi::entry' 'victmi:main:entry' 'victi:main:entry' 'vict:main:entry' 'vic*:mian:entry' 'nosuch*::entry' 'victim:no*:entry'; do
	for option in -ln -n; do
		dtrace $option "pid\$target:$probe" -c victim 2>&1 >/dev/null |
			sed -e '/^\^/!{/^pid/d}' -e 's/pid[0-9]*:/pidPID:/' -e 's/: probe description.*//'
	done
done

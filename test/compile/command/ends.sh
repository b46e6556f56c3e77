# SPDX-License-Identifier: MIT
# The end of $target ends tracing; dtrace tells how it ended, and -x exitstatus returns that unless the program calls exit().
d()
{
	dtrace "$@" >out 2>&1
	echo "status $?"
	sed 's/pid [0-9]*/pid N/' out
}
d -n 'END { trace(1); }' -c true
d -n END -c 'sh -c "exit 3"'
d -n END -c 'sh -c "kill -TERM $$"'
d -n END -c 'sh -c "kill -40 $$"'
d -qn END -c 'sh -c "exit 3"'
d -qx exitstatus -n END -c 'sh -c "exit 3"'
d -qx exitstatus -n END -c 'sh -c "kill -TERM $$"'
d -qx exitstatus -n 'END { exit(4); }' -c 'sh -c "exit 3"'
d -qx exitstatus -n 'BEGIN { exit(5); }' -c 'sh -c "exit 3"'
d -qx exitstatus -n 'BEGIN { exit(0); }' -c 'sh -c "exit 3"'
# The first process is $target; the last one ends tracing.
d -qx exitstatus -n END -c 'sh -c "exit 3"' -c 'sh -c "sleep 0.1; echo second; exit 6"'
d -qx exitstatus -n END -c 'sh -c "sleep 0.1; echo first; exit 6"' -c 'sh -c "exit 3"'
d -qn END -c ' '
d -qn END -c nosuch/program
for number in 0 -1 x 1x 2147483648 ''; do
	d -qn END -p "$number"
done

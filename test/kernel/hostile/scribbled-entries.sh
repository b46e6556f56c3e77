# SPDX-License-Identifier: MIT
# @@worlds: user the module shares no memory with processes
# A process damages two entries of an aggregation. Nothing behind the first damaged entry is used, and the loss is reported.
dtrace -x world=user -x switchrate=1h -x aggrate=1h \
	-qn 'scribbler$target:::hit { @[arg0 & 7] = count(); }' -c 'scribbler entries' 2>&1 |
	sed 's/CPU [0-9]*/CPU N/'

# SPDX-License-Identifier: MIT
# A sample finds the threads that another probe has marked in an associative array, and only those.
# @@timeout: 60
. ../_lib.sh
victim forever &
V=$!
victim forever &
W=$!
dtrace -q -Z -n '
victim*:::tick /pid == $1/ { marked[tid] = 1; }
profile-97 /marked[tid] && pid == $1/ { seen++; }
profile-97 /marked[tid] && pid != $1/ { wrong++; }
profile-97 /pid == $2/ { others++; }
profile-97 /seen >= 5 && others >= 5/ { printf("marked threads are seen, %d others\n", wrong); exit(0); }' $V $W | sed '/^$/d'
kill -KILL $V $W
wait

# SPDX-License-Identifier: MIT
# Each script of the toolkit reports what its workload did.
# @@long: yes
# @@kernels: 6.1 6.12
# @@needs: types
# @@timeout: 180
. ./_lib.sh
show execs -c "lives failures"
rows '/lives/ { print $3, $4, $5 }'
show execfails -c "lives failures"
rows '/lives/ { print $2, $3, $4 }'
show forks -c "lives tree 20"
rows '$2 == "lives" { n++ } END { print n }'
show exits -c "lives tree 20"
rows '$2 == "lives" { n[$3]++ } END { for (how in n) print how, n[how] }'
show threads -c "lives threads 30"
rows '$1 == "lives" { print $3 }'
show signals -c "lives signals"
rows '$1 == "lives" { print }'
show faults -c "lives faults"
rows '$1 == "lives" { n[$3] += $4 } END { for (fault in n) print fault, n[fault] }'
show pagefaults -c "dd if=/dev/zero of=/dev/null bs=1M count=1 status=none"
rows '$1 == "dd" { print ($3 >= 256 ? "each page" : $3) }'
show opens -c "calls plain"
rows '$2 == "calls" && /null|nonexistent/ { n[$4 " " $5]++ } END { for (file in n) print file, n[file] }'
show rwsizes -c "dd if=/dev/zero of=/dev/null bs=9 count=100 status=none"
total "dd write"
show rwfiles -c "dd if=/dev/zero of=/dev/null bs=9 count=100 status=none"
rows '$1 == "dd" && /dev/ { print $2, $3, $4 }'
show fsops -c "dd if=/dev/zero of=/dev/null bs=9 count=100 status=none"
rows '$1 == "dd" && $2 == "devtmpfs" && $3 ~ /^(read|write|open)$/ { print $3, $4, $5 }'
show syscalls -c "calls plain"
rows '$3 == "getppid" { print $1, $4 }'
show sysfails -c "calls plain"
rows '$2 == "openat" { print $1, $3, $4 }'
show systime -c "calls plain"
total getppid
show oncpu -c "sh -c 'while :; do :; done'" 2
rows '$1 == "sh" { print ($3 > 0 ? "it runs" : "never") }'
show hotstacks -c "sh -c 'while :; do :; done'" 2
rows '$0 == "sh" { n = 1 } END { print n }'
show offcpu -c "lives switches 100"
rows '/^[a-z]/ { own = $0 == "lives" } own && /schedule/ { stack = 1 } own && $2 == "us" { us += $1 }
	END { print stack, (us >= 100000 ? "as long as it sleeps" : us) }'
show switches -c "lives switches 100"
rows 'NF == 1 { own = $1 } $1 == "lives" && $3 == "sleep" { n = $4 } END { print (n >= own && own >= 90 ? "each" : n " of " own) }'
show runqlat -c "lives switches 100"
own=$(awk 'NF == 1 && /^[0-9]+$/' "$T/out")
[ "$own" -ge 90 ] && [ "$(total lives)" -ge "$own" ] && echo each
show futexes -c "lives threads 30"
rows '$1 == "lives" { print ($2 > 0 ? "it waits" : "never") }'
mkdir "$T/groups"
mount -t cgroup2 none "$T/groups"
mkdir "$T/groups/shop"
show containers -c "sh -c 'echo \$\$ >$T/groups/shop/cgroup.procs; exec calls plain'"
rows '$1 == "shop" && $2 == "calls" { print $1, ($3 >= 200 ? "each" : $3) }'
umount "$T/groups"

disk size=80m
write="dd if=/dev/zero of=$T/mnt/file bs=64k count=50 conv=fsync status=none"
set -- $(cat /sys/block/loop0/stat)
requests=$5
show iolatency -c "$write"
set -- $(cat /sys/block/loop0/stat)
# several transfers may be one request
[ "$(total 'loop0 write')" -ge $(($5 - requests)) ] && [ "$5" -gt "$requests" ] && echo "each request"
show iofiles -c "$write"
rows '$2 == "write" && /mnt\/file$/ { print $1, $3 }'
show ioprocs -c "$write"
rows '$1 == "dd" { n += $4 } END { print (n >= 3276800 ? "all" : n) }'
no_disk

show tcpconns -c "sh -c 'talks own tcp4 2 10; talks refused4 3'"
rows '/127.0.0.1/ { print }'
show tcpstates -c "talks own tcp4 2 10"
rows '/state-/ { print }'
show udpbytes -c "talks own udp4 5 100"
rows '/127.0.0.1/ { print }'
show kcounts vfs_write -c "dd if=/dev/zero of=/dev/null bs=9 count=100 status=none"
rows '$2 == "dd" { print $1, $3 }'
show klatency vfs_write -c "dd if=/dev/zero of=/dev/null bs=9 count=100 status=none"
total vfs_write

echo "--- an interrupt, into a pipe"
mkfifo "$T/pipe"
dtrace -n 'BEGIN { printf("@tracing\n"); }' -s "$TOOLKIT/udpbytes.d" >"$T/pipe" 2>&1 &
script=$!
cat "$T/pipe" >"$T/out" &
await is_tracing $script "$T/out"
talks own udp4 5 100 >/dev/null
kill -INT $script
wait
rows '/127.0.0.1/ { print }'

echo "--- scripts without a test"
for file in "$TOOLKIT"/*.d; do
	name=${file##*/}
	grep -q "^show ${name%.d} " ./*.sh || echo "$name"
done

# SPDX-License-Identifier: MIT
# A helper is added with its library and removed with it; children of fork have it, and helpers of their own later.
. ./_lib.sh
UNWIND="-x unwind=fp"	# frames that only helpers find
stack 'printf("%s", pid == $target ? "parent" : "child"); jstack(20, 2048)' \
	./script load ./libscript.so fork run one unload run two end run three unload run four \
	load ./libscript.so run five | sed -e /ADDRESS/d -e '/`fire/d'
[ "$KERNEL" = user ] && exit
pipes a b c d
helpers()
{
	rows processes | awk -v pid="$V" '$1 == pid { print $3, "registrations,", $5, "helpers" }'
}
start ./script load ./libscript.so tell "$T/a" wait "$T/b" unload tell "$T/c" wait "$T/d"
helpers
release
read -r V <"$T/a"
helpers
echo go >"$T/b"
read -r V <"$T/c"
helpers
echo go >"$T/d"
wait "$V"
await eval "! rows processes | grep -q '^ *$V '"

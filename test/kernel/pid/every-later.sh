# SPDX-License-Identifier: MIT
# @@worlds: kernel pid probes of all processes
# @@kernels: 6.1 6.12
# pid*: files that are mapped later, with the name of an earlier file, or a new name; and by a path, a
# file that replaces another one.
. ../_lib.sh

# again PROGRAM PATTERN - run a program until dtrace prints the pattern.
again()
{
	await eval "'$1' >/dev/null; grep -q '$2' '$T/trace.out'"
}

mkdir "$T/a" "$T/b"
cp "$BIN/traced" "$T/a/known"
"$T/a/known" >/dev/null
trace -n '
pid*:'"$T/a/known"':do_returns:entry { printf("by path %s\n", execname); }
pid*:traced:do_tail:entry { printf("by name %s\n", execname); }
pid*:never-seen:do_tail:return { printf("never seen before %s\n", execname); }'
again "$T/a/known" 'by path known'
cp "$BIN/traced" "$T/b/other"
mv "$T/b/other" "$T/a/known"
: >"$T/trace.out"
again "$T/a/known" 'by path known'
echo "another file at the path"
cp "$BIN/traced" "$T/b/traced"
again "$T/b/traced" 'by name traced'
echo "another file of the name"
cp "$BIN/traced" "$T/b/never-seen"
again "$T/b/never-seen" 'never seen before never-seen'
echo "a name of which there was none"
kill -TERM $TRACE
wait $TRACE
cat "$T/trace.err"
rows fasttrap

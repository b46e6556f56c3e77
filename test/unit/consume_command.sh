#!/bin/sh
# SPDX-License-Identifier: MIT
# consume_command.sh DTRACE [DRTI_DIR] - the command line: spellings, refusals and exit statuses that need no module.
dtrace=$1
export DTRACE_LIBDIR="${2:-}"
[ -n "$2" ] || unset DTRACE_LIBDIR
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failed=0

# expect STATUS TEXT ARG... - run with the arguments: this exit status, and TEXT in what is printed.
expect()
{
	status=$1 text=$2
	shift 2
	"$dtrace" "$@" >out 2>&1 </dev/null
	got=$?
	if [ $got -ne "$status" ] || { [ -n "$text" ] && ! grep -qF -e "$text" out; }; then
		echo "dtrace $*: status $got (expected $status), text (expected '$text'):"
		cat out
		failed=1
	fi
}

# makes FILE ARG... - run with the arguments: status 0 and FILE is made.
makes()
{
	file=$1
	shift
	rm -f p.h p.o
	expect 0 '' "$@"
	[ -s "$file" ] || { echo "dtrace $*: $file was not made"; failed=1; }
}

cat >p.d <<'END'
provider p { probe one(int); };
END
cat >args.d <<'END'
#!/usr/sbin/dtrace -s
BEGIN { trace($1); trace($$2); }
END

echo 'BEGIN { trace($0 + 1); }' >zero.d

expect 2 Usage
expect 2 'unknown option -Q' -Q
expect 2 'option -n needs a value' -n
expect 2 'cannot be combined' -l -e
expect 0 dtrace: -V
expect 0 'bufsize' -x help
expect 1 'too late in the boot' -A
expect 0 '' -e
expect 0 '' -b 1m -e
expect 0 Usage --help
expect 0 'DTrace for Linux' --version
expect 2 'unknown option --nonsense' --nonsense
expect 1 '-32 is for -h and -G' -32 -e -n BEGIN
expect 0 '' -64 -e -n BEGIN
expect 1 'operator + cannot be applied to string and int' -e -s zero.d
expect 1 'not a probe number' -e -i x

# Programs, in every way to give one.
expect 0 '' -e -n 'BEGIN { trace(1); }'
expect 0 '' -en 'BEGIN { trace(1); }'
expect 0 '' -e -nBEGIN
expect 0 '' -e -n BEGIN '{ trace(1); }'
expect 0 '' -e -n BEGIN '/pid == 1/' '{ trace(1); }'
expect 0 '' -eZ -P p -m m -f f -n n
expect 0 setx -e -S -n 'BEGIN { trace(12345); }'
expect 1 'in action list: ' -e -n 'BEGIN { trace( }'
expect 1 'in action list: ' -e -n 'BEGIN { trace($1); }'
expect 0 '' -e -n 'BEGIN { trace($1); }' 7
expect 0 '' -e -s args.d 1 two
expect 1 'failed to compile script args.d: line 2' -e -s args.d
expect 1 'failed to open missing.d' -e -s missing.d

# Options with values, attached and not.
expect 0 '' -e -b 4m -n BEGIN
expect 0 '' -e -b4m -n BEGIN
expect 0 '' -e -x bufsize=4m -xaggsize=1k -xnolibs -x nolibs -n BEGIN
expect 1 'bufsize' -e -x bufsize=4q -n BEGIN
expect 1 'no such option: nosuch' -e -x nosuch -n BEGIN
expect 1 'not supported' -e -a -n BEGIN
expect 0 '' -e -C -D X=1 -DY -U X -I . -n 'BEGIN { trace(Y); }'

# Headers and objects: builds spell these in many ways.
makes p.h -h -s p.d
makes p.h -hs p.d -o p.h
makes p.h -o p.h -h -s p.d
makes p.h -s p.d -xnolibs -h -op.h
makes p.h -x nolibs -h -sp.d -o p.h
makes p.h -C -I. -DX -h -s p.d -o p.h
expect 1 'missing.d' -h -s missing.d -o q.h
[ ! -e q.h ] || { echo 'q.h was made of nothing'; failed=1; }
expect 1 '-h takes one provider file: -s FILE' -h -s p.d -s p.d -o q.h
expect 1 '-h takes one provider file: -s FILE' -h -n p -o q.h
expect 1 '-G takes one provider file: -s FILE' -G -s p.d -s p.d -o q.o
if [ -n "$DTRACE_LIBDIR" ]; then
	makes p.o -G -s p.d -o p.o
	makes p.o -o p.o -G -s p.d
	makes p.o -Gs p.d -op.o
	makes p.o -64 -G -s p.d -o p.o
	makes p.o -m64 -fPIC -O2 -G -s p.d -xlazyload -o p.o
fi

# A command that needs the module says how to get it.
[ -e /dev/dtrace/dtrace ] || expect 1 'modprobe dtrace' -x world=kernel -n BEGIN
exit $failed

# SPDX-License-Identifier: MIT
# Functions that test/adopters/run, guest.sh and benchmarks share: where trees are, how they come to be, and how
# a test suite's output becomes lines "NAME: passed", "NAME: failed" or "NAME: skipped: WHY".
# shellcheck shell=sh

ADOPTERS="perl python postgresql tcl"
CACHE=${CACHE:-${DTRACE_BUILD:-$TOP/build}/adopters}
PREFIX=$CACHE/prefix

# as_nobody COMMAND...: some test suites refuse root, so nothing here is done as root. No process of it
# outlives the command.
as_nobody()
{
	if [ "$(id -u)" = 0 ]; then
		set -- setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent "$@"
	fi
	"$TOP/test/adopters/alone" "$@"
}

# words VARIANT: what a variant is called in results.
words()
{
	case $1 in
	off) echo "without probes" ;;
	on) echo "with ours" ;;
	*) echo "with SystemTap's" ;;
	esac
}

# kinds VARIANT: the probes that a variant's program has.
kinds()
{
	case $1 in
	off) echo "no probes" ;;
	on) echo "probes of ours" ;;
	*) echo "probes of SystemTap's" ;;
	esac
}

# Install this tree as its user would, but in a prefix of its own.
prefix()
{
	make -C "$TOP" --no-print-directory install DTRACE_BUILD="$CACHE/dtrace" PREFIX="$PREFIX"
}

# fetch PACKAGE: its source from Debian into $CACHE/sources. apt is told of source packages in files of
# our own: the machine's stay as they are.
fetch()
{
	[ ! -d "$(source_of "$1")" ] || return 0
	mkdir -p "$CACHE/apt/lists/partial" "$CACHE/apt/parts" "$CACHE/apt/cache/archives/partial" \
		"$CACHE/sources" || return
	cat >"$CACHE/apt/parts/debian.sources" <<-END
	Types: deb-src
	URIs: ${DEBIAN_MIRROR:-http://deb.debian.org/debian}
	Suites: bookworm
	Components: main
	Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
	END
	cat >"$CACHE/apt/apt.conf" <<-END
	Dir::Etc::SourceList "/dev/null";
	Dir::Etc::SourceParts "$CACHE/apt/parts";
	Dir::State::Lists "$CACHE/apt/lists";
	Dir::Cache "$CACHE/apt/cache";
	APT::Sandbox::User "root";
	END
	(
		cd "$CACHE/sources" && export APT_CONFIG="$CACHE/apt/apt.conf" &&
			apt-get update && apt-get source "$1"
	)
}

# source_of PACKAGE: the directory of its source, whether it exists or not.
source_of()
{
	for found in "$CACHE/sources/$1"-[0-9]*/; do
		echo "${found%/}"
		return
	done
}

# The part of this tree that decides what an adopter's build becomes.
fingerprint()
{
	cat "$PREFIX/include/sys/sdt.h" "$PREFIX"/lib/dtrace/*.o "$TOP"/libdtrace/usdt/*.[ch] | sha256sum
}

# environment VARIANT: set the environment in which our dtrace and header are found first, as users with a prefix do.
environment()
{
	if [ "$1" = on ]; then
		PATH=$PREFIX/bin:$PATH
		CPATH=$PREFIX/include
		export PATH CPATH
	fi
}

# in_tree ADOPTER VARIANT FUNCTION: call a function of ADOPTER.sh as nobody, in the tree.
in_tree()
{
	(
		environment "$2"
		cd "$CACHE/$1/$2" && as_nobody sh -eu -c '
			TOP=$1 CACHE=$2 VARIANT=$4 SCRATCH=$2/$3/scratch
			. "$TOP/test/adopters/$3.sh"
			eval "$5"' sh "$TOP" "$CACHE" "$1" "$2" "$3"
	)
}

# build ADOPTER VARIANT, unless there is one that is right.
build()
{
	tree=$CACHE/$1/$2
	state=none
	[ "$2" != on ] || state=$(fingerprint)
	[ "$(cat "$tree.built" 2>/dev/null)" != "$state" ] || return 0
	(
		. "$TOP/test/adopters/$1.sh"
		fetch "$package" || exit
		rm -rf "$tree" "$tree.built" && mkdir -p "$CACHE/$1/scratch" &&
			cp -a "$(source_of "$package")" "$tree" || exit
		[ "$(id -u)" != 0 ] || chown -R 65534:65534 "$tree" "$CACHE/$1/scratch"
	) && in_tree "$1" "$2" compile </dev/null && echo "$state" >"$tree.built"
}

# probes_in VARIANT PROGRAM: complain unless it has just the probes that it should.
probes_in()
{
	found=off
	! readelf -nW "$2" | grep -q NT_STAPSDT || found=systemtap
	! readelf -SW "$2" | grep -q ' dtrace_sites ' || found=on
	[ "$1" = "$found" ] || echo "$2 has $(kinds "$found")"
}

# outcomes_of ADOPTER LOG: one line for each test, sorted, but for those that test DTrace itself.
outcomes_of()
{
	outcomes <"$2" | grep -v "^$own: " | sort -u
}

# tally FILE: how many tests had which outcome.
tally()
{
	sed 's/.*: \(passed\|failed\)$/\1/; s/.*: skipped: .*/skipped/' "$1" | sort | uniq -c |
		awk '{ printf("%s%d %s", NR > 1 ? ", " : "", $1, $2) } END { print "" }'
}

# grouped: lines "NAME: OUTCOME" with the names of each outcome together; of more than nine the first.
grouped()
{
	awk '{
		name = $0; sub(/: .*/, "", name)
		what = substr($0, length(name) + 3)
		names[what] = names[what] (++count[what] < 10 ? " " name : "")
	}
	END {
		for (what in names)
			print what ": " count[what] " tests:" names[what] (count[what] > 9 ? " ..." : "")
	}' | sort
}

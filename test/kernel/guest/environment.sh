# SPDX-License-Identifier: MIT
# A case starts in its own directory, with an empty private directory, the programs under test in
# PATH and no input.
pwd
ls -A "$T" | wc -l
case "$PATH" in "$BIN":*) echo "programs first" ;; esac
case "$KERNEL" in 6.1 | 6.12 | debug) echo "kernel known" ;; esac
cat
command -v dtrace

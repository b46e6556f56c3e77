# SPDX-License-Identifier: MIT
# The project's tests while all of its probes are traced without the module, by the user who runs them. What the session has
# counted follows "=== counts". test/adopters/run reads this in the project's tree.
# shellcheck shell=sh disable=SC2154

SESSION=$PWD/session
tracing="dtrace -x world=user"
. "$TOP/test/adopters/session.sh"

session "$probes"
(suite)
echo "=== counts"
counts
echo "=== end"
cat "$SESSION.err"

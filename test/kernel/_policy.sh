# SPDX-License-Identifier: MIT
# _policy.sh - what cases about users other than root share: policies, and commands of an ordinary user.

# Whoever has no right shall be refused, not trace in the user's world.
export DTRACE_OPT_WORLD=kernel

# policy LINE... - load this policy. At the end of the case nobody has any rights.
policy()
{
	mkdir -p /etc/dtrace
	printf '%s\n' "$@" >/etc/dtrace/policy
	dtrace-policy
}
trap 'rm -rf /etc/dtrace; dtrace-policy' EXIT

# user COMMAND - run it as an ordinary user, in the folder of the case; HOME and PATH are kept.
user()
{
	su user -c "$1"
}

# SPDX-License-Identifier: MIT
# _policy.sh - functions of cases about users other than root: policies, and commands of such a user.

# A user without rights must be refused, and not trace in the user world.
export DTRACE_OPT_WORLD=kernel

# policy LINE... - load this policy. At the end of the case no user has any rights.
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

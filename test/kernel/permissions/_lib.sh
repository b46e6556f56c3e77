# SPDX-License-Identifier: MIT
# _lib.sh - for the cases about users other than root. A case reads it with `. ./_lib.sh`.
. ../_lib.sh

# policy LINE... - the policy in force from now on. At the end of the case nobody has any rights.
policy()
{
	mkdir -p /etc/dtrace
	printf '%s\n' "$@" >/etc/dtrace/policy
	dtrace-policy
}
trap 'rm -rf /etc/dtrace; dtrace-policy' EXIT

# user COMMAND - as an ordinary user, in the folder of the case; HOME and PATH are kept.
user()
{
	su user -c "$1"
}

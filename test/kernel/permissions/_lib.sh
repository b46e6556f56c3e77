# SPDX-License-Identifier: MIT
# _lib.sh - for the cases about users other than root. A case reads it with `. ./_lib.sh`.
. ../_lib.sh
. ../_policy.sh

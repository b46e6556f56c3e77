# SPDX-License-Identifier: MIT
# _lib.sh - functions of cases about users other than root. A case reads it with `. ./_lib.sh`.
. ../_lib.sh
. ../_policy.sh

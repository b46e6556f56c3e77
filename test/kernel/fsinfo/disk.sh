# SPDX-License-Identifier: MIT
# As memory.sh, on a disk with ext4.
# @@long: ci
# @@kernels: 6.1 6.12 debug
# @@needs: acl time32
# @@timeout: 120
. ./_lib.sh
disk size=80m
compare_all "$T/mnt" disk
no_disk

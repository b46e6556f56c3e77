/* SPDX-License-Identifier: MIT */
kinst::vfs_*:0
{
}

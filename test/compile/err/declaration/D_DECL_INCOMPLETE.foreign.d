/* SPDX-License-Identifier: MIT */
struct s { struct vnode v; };

BEGIN
{
}

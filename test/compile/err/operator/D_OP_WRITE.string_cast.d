/* SPDX-License-Identifier: MIT */
BEGIN { self->s = "abc"; p = (char *)self->s + 1; p[1] = 'x'; }

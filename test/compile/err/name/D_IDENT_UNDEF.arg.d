/* SPDX-License-Identifier: MIT */
BEGIN { trace(arg[0]); }

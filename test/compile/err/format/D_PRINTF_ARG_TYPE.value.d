/* SPDX-License-Identifier: MIT */
BEGIN { @ = count(); exit(0); }
END { printa("%@s", @); }

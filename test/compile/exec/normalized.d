/* normalize() concerns the entries that there are, until denormalize(). */
BEGIN { @a["old"] = sum(100); }
BEGIN { normalize(@a, 10); printa("%s %@d\n", @a); }
BEGIN { @a["old"] = sum(100); @a["new"] = sum(50); @b = lquantize(1, 0, 2, 1, 70); }
BEGIN { printa("%s %@d\n", @a); normalize(@a, 5); normalize(@b, 7); printa("%s %@d\n", @a); printa(@b); }
BEGIN { denormalize(@a); normalize(@b, 0); printa("%s %@d\n", @a); exit(0); }

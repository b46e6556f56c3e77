/* Without -c and -p there is no target: its number is 0. */
BEGIN { printf("%d %s\n", $target, $$target); exit(0); }

/* args: -xdefaultargs one */
BEGIN { printf("%s|%d|%s|\n", $$1, $2, $$3); exit(0); }

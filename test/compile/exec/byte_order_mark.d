/* A byte order mark at the start is no text. */
BEGIN { printf("begun\n"); exit(0); }

provider p { probe a(int); probe a(char); };
BEGIN { exit(0); }

provider p { probe a(int a) : (int b); };
BEGIN { exit(0); }

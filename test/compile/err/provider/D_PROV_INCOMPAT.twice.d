provider p { probe a(int); };
provider p { probe a(int); };
provider p { probe a(char *); };
BEGIN { exit(0); }

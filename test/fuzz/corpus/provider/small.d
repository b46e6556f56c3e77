provider p { probe a(int x, char *y) : (char *y, int x); };
#pragma D attributes Evolving/Evolving/Common provider p provider

#line none "x.d"
BEGIN { exit(0); }

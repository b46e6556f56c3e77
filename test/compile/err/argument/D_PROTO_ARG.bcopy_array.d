char a[8];
BEGIN { bcopy(alloca(8), &a[1], 4); }

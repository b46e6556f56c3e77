BEGIN { printf("%-%"); }

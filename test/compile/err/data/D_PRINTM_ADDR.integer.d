BEGIN { printm(8, 5); }

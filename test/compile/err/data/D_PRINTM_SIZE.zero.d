BEGIN { printm(0, memref("x", 1)); }

BEGIN { @ = lquantize(1, 0, 1000000, 65536); }

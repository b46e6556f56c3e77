BEGIN { s = "abc"; s[0]++; }

int last[int][4];
BEGIN { last[1][4] = 3; }

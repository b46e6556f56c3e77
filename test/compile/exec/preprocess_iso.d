/* args: -C -Xc */
BEGIN { trace(__STDC__); exit(0); }

/* args: -C -s include/beside.d */
BEGIN { printf("first\n"); }

int l[int][3], *p[int];
BEGIN { this->q = &l[0][1]; p[1] = this->q + 1; *p[1] = 9; }

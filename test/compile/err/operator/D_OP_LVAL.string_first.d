string s;
BEGIN { *s = 'x'; }

/* args: -C -Xs */
#ifndef __STDC__
BEGIN { trace("no __STDC__"); exit(0); }
#endif

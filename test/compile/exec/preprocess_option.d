#pragma D option cpp
#define FIVE 5
BEGIN { trace(FIVE); exit(0); }

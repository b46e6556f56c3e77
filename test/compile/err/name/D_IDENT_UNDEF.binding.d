#pragma D option version=1.5
#pragma D binding "1.6" later
inline int later = 3;
BEGIN { x = later; }

#pragma D option amin=Stable/Stable/Common
inline int five = 5;
#pragma D attributes Private/Private/Unknown five
BEGIN { x = five; }

#pragma D option amin=Evolving/Evolving/Common
#pragma D attributes Unstable/Unstable/Common x
BEGIN { x = 1; }

/* args: -xbtfpath=TYPES -xnolibs -xamin=Evolving/Evolving/Common */
BEGIN { x = `jiffies; }

/* args: -xamin=Evolving/Evolving/Common */
BEGIN { x = curthread; }

BEGIN { trace(inet_ntoa((char *)arg0)); }

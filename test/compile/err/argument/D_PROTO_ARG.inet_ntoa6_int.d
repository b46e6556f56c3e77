BEGIN { trace(inet_ntoa6((int *)arg0)); }

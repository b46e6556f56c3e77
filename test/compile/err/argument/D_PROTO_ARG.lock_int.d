BEGIN { trace(mutex_owner((int *)arg0)); }

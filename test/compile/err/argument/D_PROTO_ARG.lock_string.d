BEGIN { trace(mutex_owned("x")); }

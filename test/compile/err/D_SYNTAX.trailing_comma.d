BEGIN { trace(1,); }

BEGIN { trace($); }

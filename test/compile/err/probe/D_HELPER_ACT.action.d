dtrace:helper:ustack: { printf("%d", arg0); }

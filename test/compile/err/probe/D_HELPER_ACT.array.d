dtrace:helper:ustack: { seen[arg0] = 1; }

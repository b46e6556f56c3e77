dtrace:helper:ustack: { @a = count(); }

dtrace:helper:ustack: { self->seen = arg0; }

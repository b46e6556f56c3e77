int frames;
dtrace:helper:ustack: { frames = arg0; }

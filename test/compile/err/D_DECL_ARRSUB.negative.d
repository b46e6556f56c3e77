char a[-1];

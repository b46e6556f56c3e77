enum e { A = 0x100000000 };

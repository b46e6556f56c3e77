inline int pid = 1;

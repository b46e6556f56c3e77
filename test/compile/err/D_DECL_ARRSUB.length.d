char a[pid];

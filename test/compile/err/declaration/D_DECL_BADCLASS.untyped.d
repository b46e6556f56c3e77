register x;

struct unknown s;

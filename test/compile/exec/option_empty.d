/* args: -xempty -e */
int x;

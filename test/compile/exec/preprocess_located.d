/* args: -C */
#define NAME nothing


BEGIN { trace(NAME); }

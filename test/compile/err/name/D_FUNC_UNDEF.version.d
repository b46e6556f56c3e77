/* args: -xversion=1.0 */
BEGIN { x = strstr("abc", "b"); }

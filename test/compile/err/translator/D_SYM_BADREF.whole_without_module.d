/* args: -xworld=user */
/* Members that need the module would be 0. */
BEGIN { print(*curpsinfo); }

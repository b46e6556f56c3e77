/* args: -C -xcpppath=/nonexistent/cpp */
BEGIN { exit(0); }

/* args: -xargref more than needed */
BEGIN { trace($$1); exit(0); }

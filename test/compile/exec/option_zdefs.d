/* args: -xzdefs */
nosuch:::probe { }
BEGIN { trace("here"); exit(0); }

/* A name that is not known is no error of syntax: it is not looked for any more. */
BEGIN { trace("unfinished);
	y = missing;
	trace(09);
}
END { @1 = count(); }
END { x = sizeof (nothing_t *) + 1; }

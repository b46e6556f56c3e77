/* args: BEG dtrace -Z */
/* Macro variables in every field of a description, names with every character. */
$2:::$$1IN { n++; }
pid4194301:libc.so.6:_ZN3fooEv:entry, pid4194302:a.out::0, foo:9p:bar:entry, a-b:c.d:operator++:x, bar:::, no_program_has*:::sub-entry { }
1 { n++; }
dtrace:::BEGIN { printf("%d %s\n", n, probename); exit(0); }

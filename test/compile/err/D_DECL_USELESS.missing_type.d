int;
typedef;

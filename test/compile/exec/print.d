/* print(): values of every kind with their types. */
typedef enum color { RED = -1, GREEN = 3, BLUE } color_t;

struct point {
	short x, y;
};

typedef struct shape {
	struct point at;
	color_t color;
	enum color back;
	char name[8];
	char raw[4];
	uint8_t bytes[3];
	int8_t letter;
	unsigned int flags:3, rest:7;
	int sign:4;
	union {
		int number;
		char text[4];
	};
	struct {
		long inner;
	} own;
	struct point corners[2];
	short grid[2][3];
	struct shape *next;
	void *data;
	int (*call)(int, char *);
	string label;
	float f;
	double d;
} shape_t;

shape_t s;
struct point one;
int neg;

BEGIN
{
	print(1);
	print((char)'x');
	print((char)7);
	print((uint16_t)0x1234);
	neg = -2;
	print(neg);
	print((color_t)4);
	print((enum color)9);
	print((void *)0x10);
	print((int *)0);
	print("text");
	print("");
	print(probename);
	print(strjoin("a", "b"));
	print((bool)1);
	print(s.color = BLUE);
}

BEGIN
{
	one.x = 1;
	one.y = -1;
	print(one);
	s.at = one;
	s.color = RED;
	s.back = (enum color)12;
	s.name[0] = 'o';
	s.name[1] = 'k';
	s.raw[0] = 'f';
	s.raw[1] = 'u';
	s.raw[2] = 'l';
	s.raw[3] = 'l';
	s.bytes[1] = 255;
	s.letter = 'q';
	s.flags = 5;
	s.rest = 127;
	s.sign = -3;
	s.number = 65;
	s.own.inner = 1;
	s.corners[1] = one;
	s.grid[1][2] = 7;
	s.next = (shape_t *)0xffff000000001000;
	s.call = (int (*)(int, char *))0x123;
	print(s);
	print(s.grid);
	print(s.corners);
	print(s.name);
	print(s.raw);
	print(s.flags);
	exit(0);
}

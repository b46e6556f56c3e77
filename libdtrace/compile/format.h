/* SPDX-License-Identifier: MIT */
/*
 * format.h - a printf, printa, system or freopen format, taken apart: the compiler checks it, the
 * consumer prints it.
 */
#ifndef DT_FORMAT_H
#define DT_FORMAT_H

#include <stdint.h>

#define DT_CONV_ALT	  0x001 /* # */
#define DT_CONV_ZERO	  0x002 /* 0 */
#define DT_CONV_LEFT	  0x004 /* - */
#define DT_CONV_PLUS	  0x008 /* + */
#define DT_CONV_SPACE	  0x010 /* blank */
#define DT_CONV_GROUP	  0x020 /* ' */
#define DT_CONV_AGG	  0x040 /* @: takes an aggregation's value, not a key */
#define DT_CONV_WIDTH_ARG 0x080 /* *: an argument gives the width */
#define DT_CONV_PREC_ARG  0x100 /* .*: an argument gives the precision */
#define DT_CONV_PTRWIDTH  0x200 /* ?: as wide as a pointer in hexadecimal */

/* Literal text, then one conversion. The last of a format may be text only: conv is empty. */
typedef struct dt_conv {
	char *text; /* printed before the conversion; may hold NUL bytes */
	uint32_t textlen;
	char conv[8];	 /* letters: "d" "x" "wc" ...; "%" takes nothing */
	char mod[4];	 /* "" "h" "hh" "l" "ll" "L" */
	uint32_t flags;	 /* DT_CONV_* */
	int width, prec; /* -1: not given, or an argument gives it */
} dt_conv_t;

struct dt_format {
	char *source; /* as written, escapes resolved */
	dt_conv_t *convs;
	uint32_t nconvs;
	uint32_t nargs; /* arguments that it takes, those of * too */
};

struct dt_ctx;
struct dt_node;
struct arena;
struct dt_type;

/*
 * Parse a format. The result is in the arena. A malformed format is an error, located at node.
 */
struct dt_format *format_parse(struct dt_ctx *cx, struct arena *arena, const struct dt_node *node,
			       const char *text, uint32_t len);
/*
 * Check a list of checked nodes against the conversions of a format. func names the action in
 * messages.
 */
void format_check(struct dt_ctx *cx, const struct dt_format *format, const char *func,
		  struct dt_node *node, struct dt_node *args);
/*
 * Check a format of printa(): conversions and their stars take keys of these types. Conversions
 * with @ take the aggregations in order, and then the last one again.
 */
void format_check_keys(struct dt_ctx *cx, const struct dt_format *format, struct dt_node *node,
		       const struct dt_type *const *keys, uint32_t nkeys);

#endif

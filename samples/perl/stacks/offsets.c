/* SPDX-License-Identifier: MIT */
/* offsets.c - prints where things are in the structures of this perl: offsets.h, for helper.d. */
#include <EXTERN.h>
#include <perl.h>
#include <stddef.h>
#undef printf
#include <stdio.h>

#if PERL_VERSION_LT(5, 36, 0)
#error "this is for perl 5.36 or later: before, contexts of subs were not linked"
#endif

#define SAY(name, structure, member) printf("#define %s\t%zu\n", name, offsetof(structure, member))
#define SAY_NUMBER(name, number)     printf("#define %s\t%zu\n", name, (size_t)(number))

int main(void)
{
	printf("/* offsets.h - where things are in perl %s. Made by offsets.c. */\n",
	       PERL_VERSION_STRING);
	SAY("PERL_STACKINFO", struct interpreter, Icurstackinfo);
	SAY("PERL_COP", struct interpreter, Icurcop);
	SAY("STACKINFO_CONTEXTS", PERL_SI, si_cxstack);
	SAY("STACKINFO_PREVIOUS", PERL_SI, si_prev);
	SAY("STACKINFO_TOP", PERL_SI, si_cxsubix);
	SAY_NUMBER("CONTEXT_SIZE", sizeof(PERL_CONTEXT));
	SAY("CONTEXT_TYPE", PERL_CONTEXT, cx_u.cx_blk.blku_type);
	SAY("CONTEXT_MORE", PERL_CONTEXT, cx_u.cx_blk.blku_u16);
	SAY("CONTEXT_COP", PERL_CONTEXT, blk_oldcop);
	SAY("CONTEXT_NEXT", PERL_CONTEXT, blk_sub.old_cxsubix);
	SAY("CONTEXT_CV", PERL_CONTEXT, blk_sub.cv);
	SAY_NUMBER("TYPE_MASK", CXTYPEMASK);
	SAY_NUMBER("TYPE_SUB", CXt_SUB);
	SAY_NUMBER("TYPE_FORMAT", CXt_FORMAT);
	SAY_NUMBER("TYPE_EVAL", CXt_EVAL);
	SAY_NUMBER("TYPE_BLOCK", CXp_EVALBLOCK | CXp_TRY);
	SAY_NUMBER("REQUIRE", OP_REQUIRE);
	SAY_NUMBER("DO_FILE", OP_DOFILE);
	SAY("COP_LINE", COP, cop_line);
	SAY("COP_FILE", COP, cop_file);
	SAY("SV_BODY", SV, sv_any);
	SAY("SV_FLAGS", SV, sv_flags);
	SAY("CV_FLAGS", XPVCV, xcv_flags);
	SAY("CV_STASH", XPVCV, xcv_stash);
	SAY("CV_GV", XPVCV, xcv_gv_u);
	SAY_NUMBER("CV_NAMED", CVf_NAMED);
	SAY("GV_NAME", XPVGV, xiv_u.xivu_namehek);
	SAY("GV_STASH", XPVGV, xnv_u.xgv_stash);
	SAY_NUMBER("STASH_NAMED", SVf_OOK);
	SAY("STASH_NAME", struct xpvhv_with_aux, xhv_aux.xhv_name_u);
	SAY("STASH_NAMES", struct xpvhv_with_aux, xhv_aux.xhv_name_count);
	SAY("NAME_LENGTH", HEK, hek_len);
	SAY("NAME_TEXT", HEK, hek_key);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* place.c - the places of arguments as text. */
#include "place.h"

static void print_memory(struct bytes *text, const dof_argloc_t *loc, const char *const *names)
{
	if (loc->al_flags & DOF_LOCF_TLS)
		bytes_printf(text, names[0][0] == 'e' ? "%%gs:" : "%%fs:");
	if (loc->al_base == DOF_REG_IP) {
		bytes_printf(text, "0x%llx", (unsigned long long)loc->al_disp);
		return;
	}
	if (loc->al_disp)
		bytes_printf(text, "%lld", (long long)loc->al_disp);
	if (loc->al_base == DOF_REG_NONE && loc->al_index == DOF_REG_NONE)
		return;
	bytes_printf(text, "(");
	if (loc->al_base != DOF_REG_NONE)
		bytes_printf(text, "%%%s", names[loc->al_base & 15]);
	if (loc->al_index != DOF_REG_NONE)
		bytes_printf(text, ",%%%s,%u", names[loc->al_index & 15], loc->al_scale);
	bytes_printf(text, ")");
}

void place_print(struct bytes *text, const dof_argloc_t *loc, int model)
{
	static const char *const wide[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
					   "r8",  "r9",	 "r10", "r11", "r12", "r13", "r14", "r15"};
	static const char *const narrow[] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi",
					     "?",   "?",   "?",	  "?",	 "?",	"?",   "?",   "?"};
	const char *const *names = model == 64 ? wide : narrow;

	bytes_printf(text, "%s%s%u%s@", text->len ? " " : "",
		     loc->al_flags & DOF_LOCF_SIGNED ? "-" : "", loc->al_size,
		     loc->al_flags & DOF_LOCF_FLOAT ? "f" : "");
	if (loc->al_kind == DOF_LOC_CONST)
		bytes_printf(text, "$%lld", (long long)loc->al_disp);
	else if (loc->al_kind == DOF_LOC_XMM)
		bytes_printf(text, "%%xmm%u", loc->al_base);
	else if (loc->al_kind == DOF_LOC_MEM)
		print_memory(text, loc, names);
	else if (loc->al_kind == DOF_LOC_NONE)
		bytes_printf(text, "?");
	else
		bytes_printf(text, "%%%s", names[loc->al_base & 15]);
}

/* args: -C */
/* SPDX-License-Identifier: MIT */
#include "../../lib/unknown.h"

BEGIN
{
	trace(1);
}

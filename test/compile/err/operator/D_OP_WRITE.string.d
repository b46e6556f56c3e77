/* SPDX-License-Identifier: MIT */
BEGIN { s = "abc"; this->p = &s[1]; trace(*this->p); }
BEGIN { *this->p = 'x'; }

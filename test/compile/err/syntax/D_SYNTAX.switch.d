/* SPDX-License-Identifier: MIT */
BEGIN
{
	switch (pid) { }
}

/* SPDX-License-Identifier: MIT */
/* A program's inline replaces that of a D library: also in later inlines, but not within D libraries. */
inline int AF_INET = 7;
inline int SOCK_STREAM = 2;
inline string WHAT = AF_INET == 7 ? "its own" : "the library's";
inline int32_t TCP_STATE_ESTABLISHED = 4;

BEGIN
{
	printf("%d %d %s, %d\n", AF_INET, SOCK_STREAM, WHAT, AF_INET6);
	printf("%s %s\n", tcp_state_string[1], tcp_state_string[TCP_STATE_ESTABLISHED]);
	exit(0);
}

inline int f0[int x] = x + 1;
inline int f1[int x] = f0[x] + f0[x];
inline int f2[int x] = f1[x] + f1[x];
inline int f3[int x] = f2[x] + f2[x];
inline int f4[int x] = f3[x] + f3[x];
inline int f5[int x] = f4[x] + f4[x];
inline int f6[int x] = f5[x] + f5[x];
inline int f7[int x] = f6[x] + f6[x];
inline int f8[int x] = f7[x] + f7[x];
inline int f9[int x] = f8[x] + f8[x];
inline int f10[int x] = f9[x] + f9[x];
inline int f11[int x] = f10[x] + f10[x];
inline int f12[int x] = f11[x] + f11[x];
inline int f13[int x] = f12[x] + f12[x];
inline int f14[int x] = f13[x] + f13[x];
inline int f15[int x] = f14[x] + f14[x];
inline int f16[int x] = f15[x] + f15[x];
inline int f17[int x] = f16[x] + f16[x];
inline int f18[int x] = f17[x] + f17[x];
inline int f19[int x] = f18[x] + f18[x];
inline int f20[int x] = f19[x] + f19[x];
inline int f21[int x] = f20[x] + f20[x];
inline int f22[int x] = f21[x] + f21[x];
inline int f23[int x] = f22[x] + f22[x];
inline int f24[int x] = f23[x] + f23[x];
BEGIN
{
	y = f24[1];
}

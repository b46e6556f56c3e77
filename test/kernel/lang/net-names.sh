# SPDX-License-Identifier: MIT
# %I prints the host with an address, and %P the service at a port; without names, the address and the number.
# @@worlds: kernel the files with the names are the machine's
mkdir "$T/etc"
printf '192.0.2.7 seven.test\n2001:db8::7 seven6.test\n' >"$T/etc/hosts"
printf 'seven-svc 7007/tcp\n' >"$T/etc/services"
for file in hosts services; do
	touch /etc/$file
	mount --bind "$T/etc/$file" /etc/$file
done
cat >"$T/names.d" <<'EOD'
#pragma D option quiet
BEGIN
{
	this->name = (char *)alloca(16);
	bcopy("192.0.2.7", this->name, 10);
	printf("[%I] [%15I] [%-15I] [%I] [%I]\n", "192.0.2.7", "192.0.2.7", "2001:db8::7", "no address", this->name);
	printf("[%P] [%12P] [%-12P] [%P]\n", 7007, 7007, 7007, 7008);
	@["192.0.2.7", 7007] = count();
	printa("[%-14I] [%-10P] %@d\n", @);
	exit(0);
}
EOD
dtrace -s "$T/names.d"
dtrace -e -n 'BEGIN { printf("%I %P", 1, 2); }' 2>&1 | head -n 1
dtrace -e -n 'BEGIN { printf("%P", "ssh"); }' 2>&1 | head -n 1
umount /etc/hosts /etc/services

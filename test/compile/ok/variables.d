/* Variables of all scopes, arrays with keys of all kinds, and the variable table. */
BEGIN
{
	x = timestamp;
	self->y = execname;
	this->z = x + strlen(self->y);
	a[pid, "key"] = this->z++;
	self->b[a[1, execname]] = 0;
	trace(uregs[1]);
}

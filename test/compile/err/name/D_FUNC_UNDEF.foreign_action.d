BEGIN
{
	pcap(arg0, 1);
}

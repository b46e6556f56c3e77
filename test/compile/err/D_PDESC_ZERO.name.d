BEGIN,
nosuchprobe
{
}

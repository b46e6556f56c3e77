# SPDX-License-Identifier: MIT
# A user cannot stop a process that has become another user's by a set-user-ID program, but can while signals to it are permitted.
. ./_lib.sh
policy 'user user dtrace_proc'
cp "$BIN/become" /usr/bin/become-setuid
chmod 4755 /usr/bin/become-setuid
echo "-- a control: his own"
user "$BIN/attack-stop become run become run echo ran"
echo "-- it keeps his real user id"
user "$BIN/attack-stop become-setuid run echo ran"
echo "-- it becomes root"
user "$BIN/attack-stop become-setuid groups 0 gid 0 uid 0 run echo ran"
rm /usr/bin/become-setuid

# Waits until its standard input ends, which is when its owner does; then stops
# the server whose cluster is in directory $1, and removes the directory.
trap '' HUP INT QUIT TERM
cat >/dev/null
lock=$1/data/postmaster.pid
if [ -f "$lock" ]; then
	server=$(head -n 1 "$lock")
	kill -QUIT "$server"
	tries=0
	while kill -0 "$server" && [ "$tries" -lt 90 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
fi
rm -rf "$1"

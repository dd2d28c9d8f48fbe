# Runs the server $2… until standard input ends, which is when the owner does; then
# ends it, and removes its directory $1.
trap '' HUP INT QUIT TERM
dir=$1
shift
"$@" </dev/null >/dev/null 2>&1 &
server=$!
cat >/dev/null
kill -KILL "$server" 2>/dev/null
wait "$server" 2>/dev/null
rm -rf "$dir"

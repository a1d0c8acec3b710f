# For scripts that test the real program, to be sourced by them.

# serve PROGRAM DATABASE LOG OPTION... starts a server. The system chooses a free port, and
# the log says which. Afterwards $server is its process and $url where it listens.
serve() {
  local program=$1 database=$2 log=$3
  shift 3
  : >"$log" # it is read below, maybe before the server's process has opened it
  "$program" serve --db "$database" --addr 127.0.0.1:0 "$@" 2>"$log" &
  server=$!
  url=""
  for _ in $(seq 600); do
    url=$(sed -n 's/.*"msg":"serving","address":"\([^"]*\)".*/\1/p' "$log")
    [ -z "$url" ] || break
    if ! kill -0 "$server" 2>/dev/null; then break; fi
    sleep 0.1
  done
  if [ -z "$url" ]; then
    say "the server did not start:"
    cat "$log" >&2
    exit 1
  fi
}

# For scripts that need what others wrote, to be sourced by them: packages of Debian and of npm.

node_release=22.23.3

# need_node prints which Debian packages of Node.js are not there yet, need_browser those of a browser and Node.js.
need_node() {
  command -v node >/dev/null 2>&1 || echo nodejs
  command -v npm >/dev/null 2>&1 || echo npm
}

browser=${KITH_TEST_CHROMIUM:-/usr/bin/chromium-headless-shell}

need_browser() {
  [ -x "$browser" ] || echo chromium-headless-shell fonts-dejavu-core # without any font, texts have no width
  need_node
}

# install_debian NEED installs the packages that the function NEED prints, and ends the script where they cannot be had.
install_debian() {
  local packages
  packages=$($1)
  [ -n "$packages" ] || return 0
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    say "installing" $packages "with apt-get"
    export DEBIAN_FRONTEND=noninteractive
    # scripts/ahead may still be installing.
    local apt="apt-get -o DPkg::Lock::Timeout=900"
    $apt update >&2 || say "apt-get update failed, trying to install nevertheless"
    # shellcheck disable=SC2086
    $apt install -y --no-install-recommends $packages >&2 || true
  fi
  packages=$($1)
  [ -n "$packages" ] || return 0
  # shellcheck disable=SC2086
  say "these are missing:" $packages
  say "install them and run again; on Debian and Ubuntu:"
  # shellcheck disable=SC2086
  say "  sudo apt-get install" $packages
  case $packages in
    *chromium*) say "KITH_TEST_CHROMIUM names a Chromium or Chrome that is elsewhere than /usr/bin/chromium-headless-shell" ;;
  esac
  exit 1
}

# install_npm FOLDER fetches the packages that a folder locks, only where something changed: it is the slowest step when nothing did.
install_npm() {
  local stamp=$1/node_modules/.package-lock.stamp
  if ! cmp -s "$1/package-lock.json" "$stamp"; then
    (cd "$1" && npm ci --ignore-scripts --no-audit --no-fund >&2)
    cp "$1/package-lock.json" "$stamp"
  fi
}

# new_node sees to it that `node` is new enough for them. Debian 12's own is not: where that is
# what there is, the release above is fetched from npm, whose packages hold the program itself.
new_node() {
  local version arch
  version=$(node --version)
  if printf 'v20.19.0\n%s\n' "$version" | sort --version-sort --check=quiet; then
    return
  fi
  case $(uname -m) in
    x86_64) arch=x64 ;;
    aarch64) arch=arm64 ;;
    *) say "Node.js $version is too old, 20.19 is needed; install it and run again"; exit 1 ;;
  esac
  if [ ! -x .cache/node/node_modules/node-linux-$arch/bin/node ]; then
    say "Node.js $version is too old: fetching $node_release"
    mkdir -p .cache/node
    npm install --prefix .cache/node --no-save --ignore-scripts --no-audit --no-fund "node-linux-$arch@$node_release" >&2
  fi
  PATH=$PWD/.cache/node/node_modules/node-linux-$arch/bin:$PATH
  # Debian's own goes by the certificates that the machine trusts, and this one by those that it brings.
  if [ -z "${NODE_EXTRA_CA_CERTS:-}" ] && [ -f /etc/ssl/certs/ca-certificates.crt ]; then
    export NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
  fi
}

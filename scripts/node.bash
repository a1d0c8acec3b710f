# For scripts that run what others wrote for newer releases of Node.js, to be sourced by them.

node_release=22.23.3

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

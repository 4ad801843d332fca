#!/usr/bin/env bash
# Installs what a build needs: system packages (named before they are installed) and a virtual environment.
# Usage: tools/setup.sh PYTHON VENV
set -euo pipefail
python=$1
venv=$2

packages=(git make cmake ninja-build python3-venv python3-dev
          clang-22 libclang-rt-22-dev lld-22 llvm-22-dev libmlir-22-dev mlir-22-tools llvm-22-tools liblld-22-dev
          libboost-context-dev libgtest-dev zlib1g-dev libzstd-dev)

fail() { echo "hocket: $*" >&2; exit 1; }
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else
    command -v sudo >/dev/null || fail "installing packages takes root; as root: apt-get install ${missing[*]}"
    sudo "$@"
  fi
}
# Waits where another program installs something just now.
apt_get() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 -qq "$@"; }

# Reads apt's status lines, `pmstatus:PACKAGE:PERCENT:..`, and says every fifth how far it is.
show_progress() {
  local kind package percent rest now last=
  while IFS=: read -r kind package percent rest; do
    case $kind in
      dlstatus) now="downloaded" ;;
      pmstatus) now="installed" ;;
      *) continue ;;
    esac
    percent=${percent%%.*}
    now="  $now $((percent / 20 * 20)) %"
    [ "$now" = "$last" ] || echo "$now"
    last=$now
  done
}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
  fail "$python is not Python 3.10 or newer; run: make PYTHON=/path/to/python3 ..."

missing=()
if command -v apt-get >/dev/null; then
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
else
  echo "hocket: there is no apt-get; the build needs what Debian calls ${packages[*]}"
fi

if [ ${#missing[@]} -gt 0 ]; then
  echo "hocket: installing system packages (up to 350 MB to download, 2 GB on the disk): ${missing[*]}"
  apt_get update
  candidate=$(apt-cache policy llvm-22-dev | sed -n 's/ *Candidate: //p')
  if [ -z "$candidate" ] || [ "$candidate" = '(none)' ]; then
    # Debian 12 carries LLVM 22 in its security archive; elsewhere LLVM's own archive has it.
    . /etc/os-release
    echo "hocket: adding https://apt.llvm.org for LLVM 22 on $PRETTY_NAME"
    apt_get install -y --no-install-recommends ca-certificates curl
    curl -fsSL https://apt.llvm.org/llvm-snapshot.gpg.key | as_root tee /usr/share/keyrings/llvm.asc >/dev/null
    echo "deb [signed-by=/usr/share/keyrings/llvm.asc] https://apt.llvm.org/$VERSION_CODENAME/ llvm-toolchain-$VERSION_CODENAME-22 main" |
      as_root tee /etc/apt/sources.list.d/llvm-22.list >/dev/null
    apt_get update
  fi
  apt_get install -y --no-install-recommends -o APT::Status-Fd=1 "${missing[@]}" | show_progress
fi

echo "hocket: installing Python packages into $venv"
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
"$venv/bin/python" -m pip install --quiet 'uv>=0.7' # a third of pip's time
"$venv/bin/uv" pip install --quiet --python "$venv/bin/python" --constraints tools/build.lock numpy --group build --group test --group lint --group tutorials
"$venv/bin/python" tools/dev_install.py

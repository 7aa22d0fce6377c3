#!/bin/sh
# Brings ETOPO5 (5-minute relief of the Earth) from the Debian package ferret-datasets into data/.
set -e
cd "$(dirname "$0")"
[ -s data/etopo5.cdf ] && exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$PWD
cd "$work"
apt-get download -q ferret-datasets || { apt-get update -q && apt-get download -q ferret-datasets; }
dpkg-deb -x ferret-datasets_*.deb .
mkdir -p "$here/data"
cp usr/share/ferret-vis/data/etopo5.cdf "$here/data/etopo5.cdf.part"
mv "$here/data/etopo5.cdf.part" "$here/data/etopo5.cdf"

#!/bin/bash
# Fetches the real elevation models that the tests labelled `dems` use, out of Debian packages:
#
#   tests/data/fetch_dems.sh FOLDER
#
# Downloads python-matplotlib-data, r-cran-terra, r-cran-stars and ferret-datasets with apt-get (needs
# no root and installs nothing), unpacks the elevation files to FOLDER, and keeps them: a second
# call does nothing. Exit code 1 when a package cannot be had.
set -eu
folder=${1:?usage: fetch_dems.sh FOLDER}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

fetch() {  # PACKAGE FILE...: FILE is the end of a path in the package
  local package=$1 file missing=0
  shift
  for file in "$@"; do [ -s "$folder/$(basename "$file")" ] || missing=1; done
  [ $missing = 1 ] || return 0
  local work
  work=$(mktemp -d "$folder/.fetch-XXXXXX")
  # shellcheck disable=SC2064
  trap "rm -rf '$work'" RETURN
  (cd "$work" && apt-get -q download "$package" >log 2>&1) || {
    echo "fetch_dems.sh: cannot download $package: $(tail -1 "$work/log")" >&2
    return 1
  }
  dpkg-deb -x "$work"/*.deb "$work/tree"
  for file in "$@"; do
    local found
    found=$(find "$work/tree" -path "*/$file" | head -1)
    [ -n "$found" ] || { echo "fetch_dems.sh: $package holds no $file" >&2; return 1; }
    case "$found" in *.gz) gunzip -c "$found" > "$folder/$(basename "$file" .gz)" ;;
      *) cp -L "$found" "$folder/.part-$(basename "$file")"
         mv "$folder/.part-$(basename "$file")" "$folder/$(basename "$file")" ;;
    esac
  done
}

fetch python-matplotlib-data jacksboro_fault_dem.npz topobathy.npz
fetch r-cran-terra ex/elev.tif
fetch r-cran-stars tif/olinda_dem_utm25s.tif
fetch ferret-datasets etopo60.cdf etopo20.cdf etopo5.cdf

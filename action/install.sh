#!/usr/bin/env bash
# Installs the program of a release for the later steps of a workflow, unless crdlab is
# already in PATH. The checksums of the release must match.
#
# INPUT_VERSION is a version such as v1.0.0; others, such as a branch, mean the newest.
# CRDLAB_RELEASES is the address of the releases.
set -euo pipefail

if command -v crdlab > /dev/null; then
  echo "crdlab is installed: $(crdlab --version)"
  exit
fi

releases=${CRDLAB_RELEASES:-https://github.com/crdlab/crdlab/releases}
if [[ ${INPUT_VERSION:-} =~ ^v[0-9]+\.[0-9]+\.[0-9]+ ]]; then
  address=$releases/download/$INPUT_VERSION
else
  address=$releases/latest/download
fi

case $(uname -s) in
  Linux) system=linux ;;
  Darwin) system=darwin ;;
  *) echo "::error::crdlab has no program for $(uname -s)"; exit 2 ;;
esac
case $(uname -m) in
  x86_64 | amd64) machine=amd64 ;;
  aarch64 | arm64) machine=arm64 ;;
  *) echo "::error::crdlab has no program for $(uname -m)"; exit 2 ;;
esac

archive=crdlab_${system}_${machine}.tar.gz
directory=$(mktemp -d "${RUNNER_TEMP:-/tmp}/crdlab.XXXXXX")
cd "$directory"
curl --fail --silent --show-error --location --retry 3 --remote-name-all "$address/$archive" "$address/checksums.txt"
grep -F "  $archive" checksums.txt > checksum.txt || { echo "::error::checksums.txt does not list $archive"; exit 2; }
if command -v sha256sum > /dev/null; then sha256sum --check --quiet checksum.txt; else shasum -a 256 --check --quiet checksum.txt; fi
tar -xzf "$archive"
echo "$directory" >> "${GITHUB_PATH:?}"
"$directory/crdlab" --version

#!/bin/bash
# Writes MINOR.mod and MINOR.sum for the verdict program of a Kubernetes minor
# release: ./add.sh 1.36. The module file requires the last patch release of the
# libraries whose modules can all be downloaded. Other libraries have the versions
# that these require, as in the release itself.
set -euo pipefail

minor=${1:?usage: add.sh 1.36}
cd "$(dirname "$0")/.."
. minors/versions.sh

version=$(last "$minor")
rm -f "minors/$minor.mod" "minors/$minor.sum"
{
	printf 'module %s\n\n' "$(go list -m)"
	grep '^go ' go.mod
	printf '\nrequire (\n'
	# crdlab's own code keeps its libraries.
	grep -hE '^\s+(go\.yaml\.in/yaml/v3|github\.com/go-json-experiment/json|github\.com/elastic/go-seccomp-bpf|github\.com/landlock-lsm/go-landlock) ' go.mod | sed 's, //.*,,'
	for library in $libraries; do printf '\tk8s.io/%s %s\n' "$library" "$version"; done
	printf ')\n'
} >"minors/$minor.mod"
export GOFLAGS="-mod=mod -modfile=minors/$minor.mod -tags=grpcnotrace,minor,kubernetes$minor"
for os in linux darwin windows; do GOOS=$os go list -deps ./minors >/dev/null; done
GOOS=js GOARCH=wasm go list -deps ./minors >/dev/null
echo "minors/$minor.mod requires $version"

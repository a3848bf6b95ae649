#!/bin/bash
# Writes RELEASE.mod and RELEASE.sum for the verdict program of a Kubernetes minor
# release: ./add.sh 1.36. The module file requires the last patch release of the
# libraries whose modules can all be downloaded. Other libraries have the versions
# that these require, as in the release itself.
set -euo pipefail

release=${1:?usage: add.sh 1.36}
cd "$(dirname "$0")/.."
. releases/versions.sh

version=$(last "$release")
rm -f "releases/$release.mod" "releases/$release.sum"
{
	printf 'module %s\n\n' "$(go list -m)"
	grep '^go ' go.mod
	printf '\nrequire (\n'
	# crdlab's own code keeps its libraries.
	grep -hE '^\s+(go\.yaml\.in/yaml/v3|github\.com/go-json-experiment/json|github\.com/elastic/go-seccomp-bpf|github\.com/landlock-lsm/go-landlock) ' go.mod | sed 's, //.*,,'
	for library in $libraries; do printf '\tk8s.io/%s %s\n' "$library" "$version"; done
	printf ')\n'
} >"releases/$release.mod"
export GOFLAGS="-mod=mod -modfile=releases/$release.mod -tags=grpcnotrace,program,kubernetes$release"
for os in linux darwin windows; do GOOS=$os go list -deps ./releases >/dev/null; done
GOOS=js GOARCH=wasm go list -deps ./releases >/dev/null
echo "releases/$release.mod requires $version"

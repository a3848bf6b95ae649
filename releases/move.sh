#!/bin/bash
# Moves crdlab to the next Kubernetes minor release: ./move.sh 1.38. The script adds
# the program of the present release, raises the libraries in all module files, and
# lists the cases that the two releases judge differently.
#
# An optional second argument is the version of the libraries, such as v0.38.0-rc.0
# ("make move RELEASE=1.38 LIBRARIES=v0.38.0-rc.0"). By default, it is the last patch
# release whose modules can all be downloaded.
set -euo pipefail

new=${1:?usage: move.sh 1.38 [version]}
cd "$(dirname "$0")/.."
. releases/versions.sh

version=${2:-$(last "$new")}
present=1.$(sed -n 's/^\tNewestMinor = //p' internal/playground/scenario.go)
if [ "$present" = "$new" ]; then
	echo "crdlab is at $new already" >&2
	exit 1
fi

# Fails before any change if the version does not exist or requires a newer Go.
go mod download "k8s.io/apiserver@$version"

releases/add.sh "$present"
make "dist/programs/$present"

# Kubernetes itself is v1.38.0 of the libraries v0.38.0. It requires versions of them that do not
# exist, so all modules move together.
raise() {
	local old
	old=$(go list -m -f '{{.Version}}' k8s.io/apiserver)
	go get $(sed -n "s,^[^k]*\(k8s.io/[a-z-]*\) $old\b.*,\1@$version,p" go.mod) "$@"
	go mod tidy
}
raise "k8s.io/kubernetes@${version/v0./v1.}"
(
	cd conformance
	raise
)

sed -i "s/^const Library = .*/const Library = \"${version/v0./1.}\"/" internal/engine/engine.go
sed -i "s/^\tNewestMinor = .*/\tNewestMinor = ${new#1.}/" internal/playground/scenario.go
gofmt -l internal/playground internal/engine

list="go run ./internal/devtools/releases -programs dist/programs -release $present"
if ! go build ./...; then
	echo "crdlab must be adapted to the libraries. After that, list the cases with another verdict: $list" >&2
	exit 1
fi
$list

# Functions for add.sh and move.sh, which source this file.

libraries="api apiextensions-apiserver apimachinery apiserver client-go component-base"

# resolves reports whether all libraries have the version, and prints the error otherwise.
resolves() {
	local modules=(k8s.io/kms@"$1")
	for library in $libraries; do modules+=("k8s.io/$library@$1"); done
	go mod download "${modules[@]}" 2>&1
}

# last prints the last version of a minor release's libraries that resolves.
last() {
	local version error="there is none"
	for version in $(go list -m -versions k8s.io/apiserver | tr ' ' '\n' | grep -E "^v0\.${1#1.}\.[0-9]+$" | sort -rV); do
		if error=$(resolves "$version"); then
			echo "$version"
			return
		fi
	done
	echo "no release of the libraries of Kubernetes $1 can be downloaded: $error" >&2
	return 1
}

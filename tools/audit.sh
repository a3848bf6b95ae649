#!/bin/bash
# Looks for known vulnerabilities in the Go module and in the npm packages of each directory
# with govulncheck and npm audit. Their exit codes decide, unless tools/audit.accepted lists
# every vulnerability that they print: an id on each line, followed by the reason.
set -uo pipefail

failed=0
scan() {
	local output ids
	output=$("$@" 2>&1) && return
	ids=$(grep -oE 'GO-[0-9]{4}-[0-9]+|GHSA(-[0-9a-z]{4}){3}' <<<"$output" | sort -u)
	if [ -n "$ids" ] && [ -z "$(comm -23 <(echo "$ids") <(cut -d' ' -f1 tools/audit.accepted | sort -u))" ]; then return; fi
	echo "$* failed:"
	echo "$output"
	failed=1
}

scan "${GOVULNCHECK:-govulncheck}" ./...
for directory; do scan npm audit --prefix "$directory"; done
exit $failed

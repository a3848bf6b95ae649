#!/usr/bin/env bash
# Tries the installations of the README that need no published release, each in an empty
# directory: the commands of the README's table, with the files that a release would have in
# place of its addresses. Prints a line for each, and fails if one failed.
#
#   tools/try-install.sh      bin/crdlab and dist/npm must exist; HELM names Helm
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/crdlab-install.XXXXXX")
# Go makes the files of its module cache read-only.
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
platform=$(go env GOOS)_$(go env GOARCH)
version=v0.0.1
failed=0

# row prints a line of the table: the way, the result, and the command or the reason.
row() { printf '%-14s %-8s %s\n' "$1" "$2" "$3"; }
# documented prints the command in the README's row for a way.
documented() { sed -n "s/^| $1 | \`\(.*\)\` |\$/\1/p" "$root/README.md"; }
# try runs a function in an empty directory, and prints its result and the command. In a
# condition, bash would ignore the errors within the function.
try() {
  local way=$1 function=$2 log=$work/$2.log
  set +e
  (mkdir "$work/$function" && cd "$work/$function" && set -e && "$function") > "$log" 2>&1
  local status=$?
  set -e
  if ((status == 0)); then row "$way" ok "$3"; else row "$way" failed "$3"; sed 's/^/    /' "$log"; failed=1; fi
}
# judges fails unless a program accepts the example's CRD, and finds its object's two mistakes.
judges() {
  "$@" check "$work/crd.yaml"
  local status=0
  "$@" check "$work/crd.yaml" "$work/object.yaml" > report || status=$?
  test "$status" = 1 && grep -q 'spec.replicas: Invalid value: 15' report
}

# The files of the example, and the files of a release as .goreleaser.yaml describes them.
for name in crd.yaml object.yaml; do
  sed -n "/^-- $name --\$/,/^-- /{/^-- /d;p}" "$root/internal/examples/crontab-validation.txtar" > "$work/$name"
done
mkdir -p "$work/contents/completions" "$work/contents/man" "$work/releases/latest/download" "$work/releases/download"
cp "$root"/{bin/crdlab,LICENSE,THIRD_PARTY_NOTICES,README.md,CHANGELOG.md,deploy/systemd/crdlab.service} "$work/contents"
"$root/bin/crdlab" completion bash > "$work/contents/completions/crdlab.bash"
"$root/bin/crdlab" man "$work/contents/man"
(cd "$work/releases/latest/download" && tar -czf "crdlab_$platform.tar.gz" -C "$work/contents" . && sha256sum -- *.tar.gz > checksums.txt)
cp -r "$work/releases/latest/download" "$work/releases/download/$version"

archive_command=$(documented archive)
archive() {
  local command=${archive_command//https:\/\/github.com\/crdlab\/crdlab/file://$work}
  command=${command//linux_amd64/$platform}
  bash -c "$command"
  judges ./crdlab
  grep -q '^.TH "CRDLAB-CHECK"' man/crdlab-check.1
  # A changed archive is refused.
  echo >> "$work/releases/latest/download/crdlab_$platform.tar.gz"
  ! bash -c "$command"
}

# The module of the last commit, from a proxy. A module has no files of the modules below it.
go_command=$(documented Go)
go_install() {
  local proxy=$work/proxy/github.com/crdlab/crdlab/@v nested
  mkdir -p "$proxy"
  mapfile -t nested < <(git -C "$root" ls-files '*/go.mod' | sed 's|^|:(exclude)|; s|/go.mod$||')
  git -C "$root" archive --format=zip --prefix="github.com/crdlab/crdlab@$version/" -o "$proxy/$version.zip" HEAD . "${nested[@]}"
  git -C "$root" show HEAD:go.mod > "$proxy/$version.mod"
  echo "{\"Version\":\"$version\"}" > "$proxy/$version.info"
  echo "$version" > "$proxy/list"
  GOPROXY="file://$work/proxy,$(go env GOPROXY)" GONOSUMDB=github.com/crdlab/crdlab GOBIN=$PWD GOFLAGS="-trimpath -buildvcs=false -modcacherw" bash -c "$go_command"
  test "$(./crdlab --version)" = "crdlab $version"
  judges ./crdlab
}

chart() { "$helm" template crdlab "$root/deploy/chart" --set store.type=file | grep '^kind: Deployment'; }

npm_package() {
  npm pack --silent --pack-destination . "$root/dist/npm"
  echo '{"private": true}' > package.json
  npm install --silent --offline --no-audit --no-fund ./*.tgz
  cat > main.mjs <<'END'
import { readFileSync } from "node:fs";
import { load } from "@crdlab/engine";
const lab = await load();
const [crd, object] = process.argv.slice(2).map((file) => readFileSync(file, "utf8"));
console.log((await lab.evaluate({ crd, object })).objects[0].output);
lab.close();
END
  node main.mjs "$work/crd.yaml" "$work/object.yaml" | grep 'spec.replicas: Invalid value: 15'
}

# The steps of action.yml, on a machine without crdlab.
action() {
  cp "$work/crd.yaml" .
  export GITHUB_PATH=$PWD/path RUNNER_TEMP=$PWD CRDLAB_RELEASES=file://$work/releases INPUT_VERSION=$version INPUT_CHECK=.
  "$root/action/install.sh"
  PATH=$(cat path):$PATH "$root/action/run.sh"
}

# What pre-commit starts in the root of a repository.
hook() {
  cp "$work/crd.yaml" .
  PATH=$root/bin:$PATH bash -c "$(sed -n 's/^  entry: //p' "$root/.pre-commit-hooks.yaml" | head -n 1) ."
}

printf '%-14s %-8s %s\n' way result 'command or reason'
try archive archive "$archive_command"
row Homebrew skipped "needs the published tap"
row Krew skipped "needs the published tap"
try Go go_install "$go_command"
row container skipped "make check-image builds and runs the image"
helm=${HELM:-$(command -v helm || true)}
if [[ -n $helm ]]; then try Helm chart "helm template crdlab deploy/chart"; else row Helm skipped "needs helm"; fi
try npm npm_package "npm install ./crdlab-engine.tgz"
try 'GitHub Action' action "action/install.sh && action/run.sh"
try pre-commit hook "the command of crdlab-check"
row 'VS Code' skipped "make test-editors tries the extension"
exit "$failed"

#!/usr/bin/env bash
# Runs crdlab in a workflow: annotations at the lines of the findings, and a summary of the
# job in Markdown. It runs each command, and ends with the worst exit status.
#
# INPUT_CHECK and INPUT_TEST are paths, INPUT_BASE is a revision, INPUT_KUBERNETES lists
# releases. CRDLAB_PAGE_URL is the address of a page for links.
set -euo pipefail

summary=${GITHUB_STEP_SUMMARY:-/dev/null}
# Paths are separated by blanks and line breaks. crdlab itself expands patterns.
read -r -d '' -a check <<< "${INPUT_CHECK:-}" || true
read -r -d '' -a tests <<< "${INPUT_TEST:-}" || true
releases=()
if [[ -n ${INPUT_KUBERNETES:-} ]]; then releases=(--kubernetes "$INPUT_KUBERNETES" --add-releases); fi

worst=0
# run executes a command, which may have findings.
run() {
  local status=0
  "$@" || status=$?
  if ((status > worst)); then worst=$status; fi
}

if ((${#check[@]} > 0)); then
  run crdlab check --output github ${releases[@]+"${releases[@]}"} -- "${check[@]}"
  run crdlab check --output markdown ${releases[@]+"${releases[@]}"} -- "${check[@]}" >> "$summary" 2> /dev/null
fi

if ((${#tests[@]} > 0)); then
  run crdlab test --output github ${releases[@]+"${releases[@]}"} -- "${tests[@]}"
  {
    printf '\n## crdlab test\n\n```text\n'
    run crdlab test --cover ${releases[@]+"${releases[@]}"} -- "${tests[@]}" 2> /dev/null
    printf '```\n'
  } >> "$summary"
fi

if [[ -n ${INPUT_BASE:-} ]]; then
  {
    printf '\n'
    run crdlab diff --output markdown -- "$INPUT_BASE" HEAD
    printf '\n'
    run crdlab plan --output markdown -- "$INPUT_BASE" HEAD
  } >> "$summary"
fi

case $worst in
  0) echo "crdlab has no findings" ;;
  1) echo "crdlab has findings: see the annotations and the summary" ;;
  *) echo "::error::crdlab could not use all input (exit status $worst)" ;;
esac
exit "$worst"

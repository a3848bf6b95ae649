#!/usr/bin/env bash
# Runs crdlab in a workflow: annotations at the lines of the findings, and a summary of the
# job in Markdown. It runs each command, and ends with the worst exit status.
#
# INPUT_CHECK and INPUT_TEST are paths, INPUT_BASE is a revision, INPUT_KUBERNETES lists
# releases, and INPUT_COMMENT is true for a comment on the pull request. CRDLAB_PAGE_URL is the
# address of a page for links.
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

# The longest text of a comment in bytes; GitHub permits 65,536 characters.
longest=60000
mark='<!-- crdlab plan -->'

# comment writes a plan as a comment on the pull request, in place of the one before.
comment() {
  local number known plan=$1
  number=$(sed -n 's|^refs/pull/\([0-9]*\)/.*|\1|p' <<< "${GITHUB_REF:-}")
  if [[ -z $number ]]; then return; fi
  known=$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$number/comments" \
    --jq ".[] | select(.body | startswith(\"$mark\")) | .id") || return
  known=${known%%$'\n'*}
  if ((${#plan} > longest)); then
    plan=$(printf '%s\n```\n\nThe summary of the job has the whole plan.' "${plan:0:longest}")
  fi
  if [[ -n $known ]]; then
    gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$known" --raw-field "body=$mark"$'\n'"$plan"
  elif [[ $plan == *$'\n#### '* ]]; then # There are steps.
    gh api --silent "repos/$GITHUB_REPOSITORY/issues/$number/comments" --raw-field "body=$mark"$'\n'"$plan"
  fi
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
  } >> "$summary"
  plan=$(mktemp)
  run crdlab plan --output markdown -- "$INPUT_BASE" HEAD > "$plan"
  cat "$plan" >> "$summary"
  if [[ ${INPUT_COMMENT:-} == true ]] && ! comment "$(cat "$plan")"; then
    echo "::warning::crdlab could not comment on the pull request: it needs the permission pull-requests: write"
  fi
  rm "$plan"
fi

case $worst in
  0) echo "crdlab has no findings" ;;
  1) echo "crdlab has findings: see the annotations and the summary" ;;
  *) echo "::error::crdlab could not use all input (exit status $worst)" ;;
esac
exit "$worst"

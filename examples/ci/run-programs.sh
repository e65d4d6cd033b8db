#!/usr/bin/env bash
# Runs every program.toml below a folder. Reports go to another folder, a SARIF and a JUnit file a program; what is found is also
# printed, a line each. Ends with 0 if all pass, 1 if one does not, 2 if one cannot be run.
#
#   run-programs.sh PROGRAMS REPORTS
set -uo pipefail
programs=${1:?usage: run-programs.sh PROGRAMS REPORTS}
reports=${2:?usage: run-programs.sh PROGRAMS REPORTS}
mkdir -p "$reports" || exit 2

worst=0
count=0
while IFS= read -r -d '' program; do
    name=${program%.toml}
    name=${name//\//-}
    # The second run and the third find their kernels compiled.
    tileproof run "$program" --format sarif >"$reports/$name.sarif"
    code=$?
    tileproof run "$program" --format junit >"$reports/$name.xml"
    [ "$code" -eq 0 ] || tileproof run "$program" --format concise
    echo "$program: $([ "$code" -eq 0 ] && echo pass || echo FAIL)"
    [ "$code" -gt "$worst" ] && worst=$code
    count=$((count + 1))
done < <(find "$programs" -name program.toml -print0 | sort -z)

# A gate that looked at nothing has not passed.
if [ "$count" -eq 0 ]; then
    echo "no program.toml below $programs" >&2
    worst=2
fi
exit "$worst"

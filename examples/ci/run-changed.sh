#!/usr/bin/env bash
# Runs the programs that lie in a folder of the files given, or above one: what the hook in pre-commit-config.yaml calls.
#
#   run-changed.sh FILE ..
set -uo pipefail

for file in "$@"; do
    folder=$(dirname "$file")
    while [ ! -f "$folder/program.toml" ] && [ "$folder" != . ] && [ "$folder" != / ]; do
        folder=$(dirname "$folder")
    done
    if [ -f "$folder/program.toml" ]; then
        echo "$folder/program.toml"
    fi
done | sort -u | {
    worst=0
    while IFS= read -r program; do
        if ! tileproof run "$program" --format concise; then
            echo "$program: FAIL"
            worst=1
        fi
    done
    exit "$worst"
}

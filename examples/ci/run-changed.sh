#!/usr/bin/env bash
# Runs the programs that lie in a folder of the files given, or above one, and those elsewhere that name one of the files:
# what the hook in pre-commit-config.yaml calls.
#
#   run-changed.sh FILE ..
set -uo pipefail

# The path of a file without links and dots in its folder.
absolute() {
    local folder
    folder=$(cd "$(dirname "$1")" 2>/dev/null && pwd -P) && echo "$folder/$(basename "$1")"
}

# The program of a file's own folder, or of the next one above that has one.
above() {
    local folder
    folder=$(dirname "$1")
    while [ ! -f "$folder/program.toml" ] && [ "$folder" != . ] && [ "$folder" != / ]; do
        folder=$(dirname "$folder")
    done
    [ ! -f "$folder/program.toml" ] || echo "$folder/program.toml"
}

# The programs that git knows and that name a file by a path from their folder, as ../add/writer.cpp.
naming() {
    local name program path
    name=$(basename "$1")
    git grep -lF -e "$name" -- program.toml '**/program.toml' 2>/dev/null | while IFS= read -r program; do
        # What stands between quotes.
        tr "\"'" '\n\n' <"$program" | grep -F -e "$name" | while IFS= read -r path; do
            path=${path#npy:}
            if [ "$(absolute "$(dirname "$program")/$path")" = "$(absolute "$1")" ]; then
                echo "$program"
            fi
        done
    done
    # Outside a repository, or where no program names the file, only those of its folder run.
    return 0
}

for file in "$@"; do
    above "$file"
    naming "$file"
done | sed 's|^\./||' | sort -u | {
    worst=0
    while IFS= read -r program; do
        if ! tileproof run "$program" --format concise; then
            echo "$program: FAIL"
            worst=1
        fi
    done
    exit "$worst"
}

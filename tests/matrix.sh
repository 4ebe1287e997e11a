#!/usr/bin/env bash
# Runs tests on each Python with each DuckDB: bash tests/matrix.sh "3.11 3.12" "1.5.5 2.0.0" [PYTEST'S ARGUMENTS...]
# What is not here is skipped with a word. It fails where a test does, or where nothing could be run.
set -uo pipefail
cd "$(dirname "$0")/.."
pythons=$1 duckdbs=$2
shift 2
lines=()
passed=0 failed=0

# A name that pyenv only keeps a place for is there, and doesn't start.
program_of() {
    local program
    for program in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/"python$1"; do
        if "$program" -c "" 2>/dev/null; then
            echo "$program"
            return
        fi
    done
}

install() {
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
}

prepare() {
    [ "$folder/.dev" -nt pyproject.toml ] && return
    "$program" -m venv "$folder" && install --editable '.[dev]' && touch "$folder/.dev"
}

for version in $pythons; do
    program=$(program_of "$version")
    folder=.venv/matrix/$version
    if [ -z "$program" ]; then
        lines+=("Python $version: skipped, it is not here")
    elif ! prepare; then
        lines+=("Python $version: skipped, what the tests need can't be installed there")
    else
        for duckdb in $duckdbs; do
            name="Python $version with DuckDB $duckdb"
            if ! install "duckdb==$duckdb"; then
                lines+=("$name: skipped, it can't be installed")
            elif "$folder/bin/pytest" "$@"; then
                lines+=("$name: passed")
                passed=1
            else
                lines+=("$name: FAILED")
                failed=1
            fi
        done
    fi
done
printf '%s\n' "${lines[@]}"
[ "$failed" = 0 ] && [ "$passed" = 1 ]

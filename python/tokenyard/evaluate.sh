#!/bin/sh
# The evaluator of a SkyDiscover container: evaluate.sh PATH [train|test], with the suite in TOKENYARD_SUITE.
exec "${PYTHON:-python3}" -m tokenyard.evolve "$@"

#!/bin/sh
# sass.sh TEST_SASS FAMILY FOLDER SOURCE: a family that changed recently is checked on all architectures, others on one: the same
# compiler makes the same code of the same source.
set -eu
if [ -n "$(sh "$4/tests/changed.sh" "$4" "kernels/$2/$2.cu" "kernels/$2/$2.claims" kernels/*.cuh)" ]; then
    exec "$1" "$2" "$3"
fi
exec "$1" "$2" "$3" sm_90a

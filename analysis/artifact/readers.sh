{# What the scripts start the readers with. #}
export PYTHONPATH="readers${PYTHONPATH:+:$PYTHONPATH}" OPENBLAS_NUM_THREADS=1 PYTHONUTF8=1
python=${PYTHON:-python3} # without PYTHON the first of these two that has the packages, as for the program warpsweep
[ -n "$PYTHON" ] || "$python" -c 'import {% for one in requirements %}{{ one.split(">")[0] }}{{ ", " if not loop.last }}{% endfor %}' 2>/dev/null ||
    [ ! -x /usr/bin/python3 ] || python=/usr/bin/python3

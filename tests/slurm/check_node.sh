#!/usr/bin/env bash
# slurm/check-node: a node is good only if each of its GPUs has measured each point; as Epilog it drains no good node; as a job it
# finds its files and stays on its node; a run that hangs is bad. nvidia-smi is a stand-in.
set -euo pipefail
D=$(mktemp -d /tmp/warpsweep-slurm.XXXXXX)
prefix=$D/prefix
cmake --install "$BUILD" --prefix "$prefix" >/dev/null
mkdir "$D/gpu"
cat >"$D/gpu/nvidia-smi" <<END
#!/bin/sh
case \$1 in
--query-gpu=*) [ -e "$D/nogpu" ] || printf '0, GPU-fake-0, Disabled\n1, GPU-fake-1, [N/A]\n' ;;
esac
END
chmod +x "$D/gpu/nvidia-smi"
cat >"$D/epilog" <<END
#!/bin/bash
export PATH=$D/gpu:/usr/sbin:/usr/bin:/sbin:/bin JUDGE_OPTIONS="--backend fake" SLURM_CONF=$D/slurm.conf OMPI_MCA_rmaps_base_oversubscribe=1
$prefix/share/warpsweep/slurm/check-node $D/good.h5 >$D/epilog.out 2>&1
code=\$?; echo "ends with \$code" >>$D/epilog.out; exit \$code
END
chmod +x "$D/epilog"
MINI_EDIT=(-e "\$aEpilog=$D/epilog")
# shellcheck source=tests/slurm/mini.sh
source "$(dirname "${BASH_SOURCE[0]}")/mini.sh"
mini_is_possible || exit 77
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,tcp OMPI_MCA_rmaps_base_oversubscribe=1
export WARPSWEEP_CACHE=$D/cache
trap 'mini_stop; rm -rf "$D"' EXIT
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
mpirun -q --bind-to none -n 2 "$prefix/bin/warpsweep" run "$SOURCE/jobs/judge.yaml" -o "$D/good.h5" --backend fake 2>/dev/null

# ---- By hand, with a scontrol that tells what it is asked, and in the environment of a job that uses another Python
printf '#!/bin/sh\necho "scontrol $*"\n' >"$D/gpu/scontrol"
chmod +x "$D/gpu/scontrol"
echo 'raise ImportError("built for another Python")' >"$D/gpu/numpy.py"
while IFS='|' read -r rule code text; do
    found=0
    PYTHONHOME=$D/none PYTHONPATH=$D/gpu LC_ALL=xx_YY WARPSWEEP_FAKE=$rule PATH=$D/gpu:$PATH JUDGE_OPTIONS="--backend fake" CHECK_SECONDS=20 \
        "$prefix/share/warpsweep/slurm/check-node" "$D/good.h5" >"$D/out" 2>&1 || found=$?
    ((found == code)) || fail "$rule: exit code $found, not $code: $(<"$D/out")"
    grep -q -e "$text" "$D/out" || [[ -z $text ]] || fail "$rule: does not say '$text': $(<"$D/out")"
done <<END
|0|
slow=1.3:rank=1|1|State=DRAIN Reason=warpsweep: Device 1
fail:rank=1|1|State=DRAIN Reason=warpsweep: points failed
crash:rank=1,kernel=gather|1|State=DRAIN
hang:rank=1|1|State=DRAIN Reason=warpsweep: a GPU hangs
END
rm "$D/gpu/scontrol"

# ---- As Epilog, of a good node and of one that cannot be measured
mini_start || fail "the mini cluster does not start"
for what in good unmeasured; do
    [[ $what == good ]] || touch "$D/nogpu"
    rm -f "$D/epilog.out"
    sbatch --wait --nodes=1 --nodelist=node1 --output=/dev/null --wrap true >/dev/null
    until_it grep -qs 'ends with 0' "$D/epilog.out" || fail "Epilog, $what: $(<"$D/epilog.out")"
    until_it mini_is_idle 2 || fail "Epilog, $what: $(sinfo -N -h -o '%N %T %E')"
done
rm "$D/nogpu"

# ---- As a job
mkdir "$D/jobs"
sbatch --wait --nodes=2 --output="$D/job.out" --export="ALL,PATH=$D/gpu:$PATH,JUDGE_OPTIONS=--backend fake" \
    "$prefix/share/warpsweep/slurm/check-node" "$D/good.h5" >/dev/null || fail "as a job: $(<"$D/job.out")"

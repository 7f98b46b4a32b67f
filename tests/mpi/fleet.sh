# One slow GPU of eight is found in a run on all devices of the fake back end, and no other is accused.
. "$(dirname "$0")/common.sh"
sed -i 's/replicates: 1/replicates: 3, devices: all/; s/size: .*/size: 1MiB/' job.yaml
for seed in 1 2; do
    export WARPSWEEP_FAKE="noise=0.002;slow=1.03:rank=5"
    launch 0 8 -o fleet$seed.h5 --backend fake --seed $seed
    reader judge --fleet fleet$seed.h5 >fleet.txt 2>log
    expect "exit code of a fleet with an outlier" $? 1
    expect "devices accused" "$(grep -c 'OUTLIER' fleet.txt)" 1
    grep 'OUTLIER' fleet.txt | grep >/dev/null 'fake-.*-5' || fail "it is not the slow one: $(<fleet.txt)"
done

# A GPU that fails at every point, or at every point of a family, is named.
printf '%s\n' 'counters: none' 'timing: {replicates: 1, devices: all}' 'sweeps:' '  - {kernel: copy, axes: {size: [1MiB, 2MiB, 4MiB]}}' \
    '  - {kernel: reduce, axes: {size: [1MiB, 2MiB]}}' >job.yaml
for fault in fail:rank=1 crash:rank=1 fail:rank=1,kernel=reduce; do
    export WARPSWEEP_FAKE=$fault
    launch 1 4 -o dead.h5 --backend fake
    reader judge --fleet dead.h5 >fleet.txt 2>log
    expect "exit code of a fleet with a dead GPU" $? 1
    case $fault in *kernel*) lacks=2 ;; *) lacks=5 ;; esac
    expect "devices that lack points" "$(grep -c 'LACKS' fleet.txt)" 1
    grep "LACKS $lacks points" fleet.txt | grep >/dev/null 'fake-.*-1' || fail "it is not the dead one: $(<fleet.txt)"
    rm dead.h5
done

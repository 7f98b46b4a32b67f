# One slow GPU of eight is found in a run on all devices of the fake back end, and no other is accused.
. "$(dirname "$0")/common.sh"
sed -i 's/replicates: 1/replicates: 3, devices: all/; s/size: .*/size: 1MiB/' job.yaml
for seed in 1 2; do
    export WARPSWEEP_FAKE="noise=0.002;slow=1.03:rank=5"
    launch 0 8 -o fleet$seed.h5 --backend fake --seed $seed
    "$WARPSWEEP" judge --fleet fleet$seed.h5 >fleet.txt 2>log
    expect "exit code of a fleet with an outlier" $? 1
    expect "devices accused" "$(grep -c 'OUTLIER' fleet.txt)" 1
    grep 'OUTLIER' fleet.txt | grep >/dev/null 'fake-.*-5' || fail "it is not the slow one: $(<fleet.txt)"
done

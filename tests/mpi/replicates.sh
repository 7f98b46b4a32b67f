# Three processes measure each point by default, whose numbers stand with the samples; a run that was stopped between them
# is topped up by --resume; a change of their number, too.
. "$(dirname "$0")/common.sh"
sed -i 's/, replicates: 1//' job.yaml

launch 0 2 -o three.h5 --backend fake
complete three.h5
expect "points of three processes" "$(points three.h5 --where processes=3)" $POSSIBLE
expect "points of one device" "$(points three.h5 --where devices=1)" $POSSIBLE

sed -i 's/timeout: 2s/timeout: 2s, replicates: 1/' job.yaml
launch 0 2 -o more.h5 --backend fake
expect "points of one process" "$(points more.h5 --where processes=1)" $POSSIBLE
sed -i 's/replicates: 1/replicates: 2/' job.yaml
launch 0 2 -o more.h5 --backend fake --resume
logged "of those done before, $POSSIBLE lack processes"
expect "points of two processes" "$(points more.h5 --where processes=2)" $POSSIBLE
launch 0 2 -o more.h5 --backend fake --resume
logged "0 points to measure"

# Every device measures every point.
sed -i 's/replicates: 2/replicates: 2, devices: all/' job.yaml
launch 0 3 -o all.h5 --backend fake
complete all.h5
expect "points of all devices" "$(points all.h5 --where devices=3)" $POSSIBLE
expect "processes of each" "$(points all.h5 --where processes=6)" $POSSIBLE

#!/usr/bin/env bash
# Points without times: what the access model counts and the time model needs, of jobs and of files.
source "$(dirname "$0")/setup.sh"
cd "$D"
w() { reader "$@"; }
cat >job.yaml <<'END'
sweeps:
  - {kernel: copy, axes: {size: 1MiB, stride: [1, 2], variant: [load, memcpy]}}
  - {kernel: host_copy, axes: {size: 1MiB}}
  - {kernel: shared_stride}
  - {kernel: latency, axes: {variant: l2}}
  - {kernel: peer_copy, axes: {size: 1MiB, variant: [load, copy_engine]}}
  - {kernel: peer_latency}
  - {kernel: matmul, axes: {variant: tiled}}
  - {kernel: tensor_matmul}
END
w points job.yaml --profile h200 -o p.h5
w table p.h5 -c kernel,variant,stride,status,model,arithmetic,addresses,parts,tile_count,chain_count,predicted_load_requests,grid_blocks,time_median -f tsv | tr '\t' ' ' >got
expect() { has -xF "$1" <got || fail "expected '$1': $(<got)"; }
status=0
"$WARPSWEEP" run job.yaml -o p.h5 --resume --append-device --backend fake >said 2>&1 || status=$?
[[ $status == 2 ]] && has 'p.h5 has predictions, and nothing in it was measured' <said || fail "a run continues predictions: $(<said)"
expect 'copy load 1 ok kernel flop_f32 1 nan nan nan 8192 1024 nan'
expect 'copy load 2 ok kernel flop_f32 1 nan nan nan 4096 512 nan'
expect 'copy memcpy 1 ok library flop_f32 0 nan nan nan nan nan nan'
expect 'copy memcpy 2 unsupported   nan nan nan nan nan nan nan'
expect 'host_copy overlapped nan ok host_link flop_f32 0 1 nan nan nan nan nan'
expect 'latency l2 nan ok  flop_f32 0 nan nan nan nan 1 nan'
expect 'peer_copy load nan ok link_kernel flop_f32 1 1 nan nan 2048 32 nan'
expect 'peer_copy copy_engine nan ok link_copy flop_f32 0 1 nan nan nan nan nan'
expect 'peer_latency load nan ok chain_load flop_f32 0 nan nan 8192 nan 1 nan'
expect 'tensor_matmul mma nan ok tiles tensor_bf16 0 nan 32 nan nan 32 nan'
has '^shared_stride .* ok shared ' <got || fail "shared memory: $(<got)"
[[ $(w table p.h5 -w kernel=copy -w variant=load -w stride=1 -c footprint,special,device.name,device.backend -f tsv | tail -n 1) == $'2097152\t0\tNVIDIA H200 (predicted)\tpredicted' ]] || fail "the device"

# Of a file: its measured points, for its device, and for another.
w points --of p.h5 -o none.h5
[[ $(w table none.h5 -c id -f tsv | wc -l) == 1 ]] || fail "points that were not measured"
file=$SOURCE/analysis/data/h100-profile.h5
w points --of "$file" -o of.h5
w table of.h5 -c id -f tsv | tail -n +2 | sort >ids
w table "$file" -w status=ok -c id -f tsv | tail -n +2 | sort >known
[[ -s ids && -z $(comm -23 ids known) ]] || fail "points of a file: $(wc -l <ids)"
[[ $(w table of.h5 -c device.name -f tsv -n 1 | tail -n 1) == *H100*'(predicted)' ]] || fail "the file's device"
w points --of "$file" --profile b200 -o b200.h5
[[ $(w table b200.h5 -c device.name -f tsv -n 1 | tail -n 1) == *B200*'(predicted)' ]] || fail "another device"

#!/bin/sh
# roofs.sh WARPSWEEP - the roofs of a GPU in three runs, with their ranges, beside the data sheet: fails where arithmetic or reads of
# DRAM are below 90 % of it. Copies and writes of DRAM turn the bus around and are printed only. The last table has what differs
# between the runs: the medians of L2 are to agree better than the 10 % that one place in memory gave. Skipped (77) without a GPU.
warpsweep=$1
. "$(dirname "$0")/common.sh"
columns=device.peak_copy,device.peak_read,device.peak_write,device.peak_l2_read,device.peak_l2_copy,device.peak_l2_write,device.peak_shared
columns=$columns,device.peak_flop_f16,device.peak_flop_bf16,device.peak_flop_f32,device.peak_flop_f64
for run in 1 2 3; do
    "$warpsweep" run --kernel copy --set size=64MiB --set counters=none -o $run.h5 --backend cuda >log 2>&1 || fail run
    "$warpsweep" report $run.h5 --roofs >$run.md && cat $run.md || exit 1
    "$warpsweep" report $run.h5 --time | grep -iE 'peaks|phase' # what measuring them costs
done
echo "State of the machine:"
"$warpsweep" table 1.h5 -n 1 -f json -c device.name,device.driver,device.vbios,device.board_part,device.ecc,device.mig,device.fabric,device.power_limit,device.power_limit_default,device.clock_max,device.clock_applied,device.memory_clock,device.memory_clock_applied,device.memory_clock_load,device.bar1_bytes,device.host_kernel,device.iommu,device.transparent_hugepages,device.hugepages,device.numa_node || exit 1
echo "Medians, one line for each run, and the largest difference:"
for run in 1 2 3; do
    "$warpsweep" table $run.h5 -n 1 -c $columns | tail -n 1
done | awk -F'\t' '{ for (i = 1; i <= NF; i++) { low[i] = NR == 1 || $i < low[i] ? $i : low[i]; high[i] = $i > high[i] ? $i : high[i] } print }
    END { for (i = 1; i <= NF; i++) printf "%s%.1f %%", (i > 1 ? "\t" : ""), 100 * (high[i] / low[i] - 1); print "" }'
# 32 banks of 4 bytes serve a clock (CUDA programming guide): no sheet has it, and it holds on every chip so far.
"$warpsweep" table 1.h5 -n 1 -c device.peak_shared,device.multiprocessors,device.clock_max | awk -F'\t' 'NR == 2 {
    share = 100 * $1 / (128 * $2 * $3); printf "shared memory: %.1f %% of 128 bytes per clock and SM\n", share; exit !(share >= 90) }' ||
    { echo "below 90 % of what the banks give"; exit 1; }
# Tensor cores of compute capability 9.0 multiply 16 x 16 x 8 numbers of 16 bits a clock and quarter of a multiprocessor, half as many of
# tf32, and twice as many of 8 bits. The power limit may slow them down within milliseconds.
"$warpsweep" run --kernel tensor_matmul --set m=1024 --set n=1024 --set k=1024 --set counters=none -o tensor.h5 --backend cuda >log 2>&1 ||
    fail run
"$warpsweep" report tensor.h5 --roofs | grep 'tensor cores'
"$warpsweep" table tensor.h5 -n 1 -c device.capability,device.peak_tensor_f16,device.peak_tensor_bf16,device.peak_tensor_tf32,device.peak_tensor_f8,device.peak_tensor_i8,device.multiprocessors,device.clock_max |
    awk -F'\t' 'NR == 2 && $1 == 90 { split("1 1 0.5 2 2", of, " ")
        for (i = 1; i <= 5; i++) { share = 100 * $(i + 1) / (4096 * of[i] * $7 * $8); printf "tensor cores: %.1f %%\n", share; bad += !(share >= 80 && share < 101) } exit bad > 0 }' ||
    { echo "tensor cores are not between 80 and 101 % of what they multiply a clock"; exit 1; }
# Rows of a product that the table of data sheets has.
awk -F' *[|] *' '/^\| (DRAM read|FP16|BF16|FP32|FP64)/ && $7 != "-" && $7 + 0 < 90 { print "below 90 % of the data sheet: " $0; bad = 1 } END { exit bad }' 1.md 2.md 3.md

#!/usr/bin/env python3
"""Make a folder for `warpsweep run --kernels FOLDER` of the Triton kernels in kernels.py.

    python3 -m pip install triton          # no GPU is needed here
    python3 examples/triton/build.py triton-kernels --arch sm_90 --arch sm_100
    warpsweep check examples/triton/job.yaml --kernels triton-kernels --arch sm_90a
    mpirun -n 1 warpsweep run examples/triton/job.yaml --kernels triton-kernels -o triton.h5

Each family becomes NAME.so (its descriptor, NAME.c, by $CC), NAME.code (the list of machine code) and a folder
of cubins. The same Triton makes the same files every time.
"""

import argparse
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
os.environ.setdefault("TRITON_DISABLE_LINE_INFO", "1")  # which names folders of this machine

here = pathlib.Path(__file__).resolve().parent
DTYPES = {"f16": "fp16", "bf16": "bf16", "f32": "fp32"}
FAMILIES = {  # of the kernel's parameters, * is a pointer to elements
    "triton_add": ("add", {"a": "*", "b": "*", "out": "*", "count": "i32"}),
    "triton_silu_mul": ("silu_mul", {"rows": "*", "out": "*", "d": "i32"}),
    "triton_matmul": ("matmul", {"a": "*", "b": "*", "c": "*", "m": "i32", "n": "i32", "k": "i32"}),
}
MATMUL_TILES = [  # block_m, block_n, block_k, group_m, num_warps, num_stages
    (128, 256, 64, 8, 8, 3),
    (128, 256, 64, 8, 8, 4),
    (128, 128, 64, 8, 8, 4),
    (128, 128, 64, 8, 4, 4),
    (64, 256, 64, 8, 4, 4),
    (128, 64, 64, 8, 4, 4),
]
MATMUL_DTYPES = ["f16", "bf16"]


def compile_kernel(kernel, parameters, capability, dtype, axes):
    """The compiled kernel, for pointers and lengths that 16 divides, as Triton itself would have it for such."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    signature = {name: "*" + DTYPES[dtype] if kind == "*" else kind for name, kind in parameters.items()}
    options = {name: axes[name] for name in ("num_warps", "num_stages") if name in axes}
    constants = {name.upper(): value for name, value in axes.items() if name not in options}
    signature |= {name: "constexpr" for name in constants}
    source = ASTSource(
        fn=kernel,
        signature=signature,
        constexprs={(len(parameters) + i,): value for i, value in enumerate(constants.values())},
        attrs={(i,): [["tt.divisibility", 16]] for i in range(len(parameters))},
    )
    return triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)


def machine_code(folder, family, capability, dtype, axes):
    """Compile one kernel into the folder; its line of the list."""
    import kernels

    name, parameters = FAMILIES[family]
    made = compile_kernel(getattr(kernels, name), parameters, capability, dtype, axes)
    architecture = re.search(r"^\.target (sm_\w+)", made.asm["ptx"], re.M).group(1)  # sm_90 is compiled for as sm_90a
    scratch = made.metadata.global_scratch_size, made.metadata.profile_scratch_size
    if scratch != (0, 0) or made.metadata.num_ctas != 1:
        sys.exit(f"{family}: the kernel wants scratch memory or a cluster, which its descriptor does not give")
    file = f"{family}/{'-'.join(map(str, [dtype, *axes.values()]))}.{architecture}.cubin"
    (folder / file).write_bytes(made.asm["cubin"])
    return (
        f"dtype={dtype} {' '.join(f'{name}={value}' for name, value in axes.items())} | {architecture} | {file} | "
        f"entry={made.metadata.name} shared={made.metadata.shared} threads={32 * axes['num_warps']}\n"
    )


def build_family(folder, family, points, include):
    compiler = os.environ.get("CC", "cc")
    command = [compiler, "-std=gnu17", "-O2", "-shared", "-fPIC", "-I", include, here / f"{family}.c", "-o"]
    subprocess.run([*command, folder / f"{family}.so"], check=True)
    shutil.rmtree(folder / family, ignore_errors=True)
    (folder / family).mkdir()
    import triton

    lines = [machine_code(folder, family, *point) for point in points]
    (folder / f"{family}.code").write_text(f"# Made by build.py with Triton {triton.__version__}.\n" + "".join(lines))
    print(f"{folder / family}.code: {len(lines)} kernels")


def headers():
    """warpsweep's: in its source tree, or installed."""
    source = here.parents[1] / "src"
    return source if source.is_dir() else here.parents[3] / "include" / "warpsweep"


def numbers(text):
    return [int(number) for number in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="to make; what is of these families in it is made anew")
    parser.add_argument("--arch", action="append", help="sm_90, sm_100 and the like; may be repeated [sm_90, sm_100]")
    parser.add_argument("--block-sizes", type=numbers, default=[256, 512, 1024, 2048, 4096], help="[256,...,4096]")
    parser.add_argument("--num-warps", type=numbers, default=[1, 2, 4, 8], help="[1,2,4,8]")
    parser.add_argument("--tiles", type=int, default=len(MATMUL_TILES), help="of triton_matmul, the first so many [all]")
    parser.add_argument("--dtypes", type=lambda text: text.split(","), default=list(DTYPES), help="[f16,bf16,f32]")
    parser.add_argument("--include", default=headers(), help="where warpsweep's headers are [found]")
    arguments = parser.parse_args()
    capabilities = [int(name.removeprefix("sm_").rstrip("af")) for name in arguments.arch or ["sm_90", "sm_100"]]
    try:
        import triton  # noqa: F401
    except ImportError:
        sys.exit("there is no Triton here: python3 -m pip install triton")
    shapes = itertools.product(arguments.block_sizes, arguments.num_warps)
    blocks = [{"block_size": size, "num_warps": warps} for size, warps in shapes]
    names = ["block_m", "block_n", "block_k", "group_m", "num_warps", "num_stages"]
    tiles = [dict(zip(names, tile)) for tile in MATMUL_TILES[: arguments.tiles]]
    sys.path.insert(0, str(here))
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for family in FAMILIES:
        matmul = family == "triton_matmul"
        dtypes = [dtype for dtype in arguments.dtypes if not matmul or dtype in MATMUL_DTYPES]
        points = list(itertools.product(capabilities, dtypes, tiles if matmul else blocks))
        build_family(arguments.folder, family, points, arguments.include)


if __name__ == "__main__":
    main()

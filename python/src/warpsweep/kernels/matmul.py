"""matmul: products of f32."""

from __future__ import annotations

from . import EXACT, SECTOR, WORD, Family, Law

FAMILY = Family(
    choices="variant tile block_tile outputs slice tile_shape stages group split carveout lt_algorithm",
    ranked="lt_algorithm",
    error_elsewhere=1.39,
    vendor=("cublas", "cublaslt"),
    error={"h100": 1.067, "h200": 1.084, "other": 1.084},
    baseline=("paper", "ladder"),
    laws=(
        Law(
            "matmul_tiled",
            "bytes loaded for a flop",
            "4 / tile",
            "tile",
            "elements",
            "",
            EXACT,
            lambda q: (
                q.is_("variant", "tiled"),
                q.of("tile"),
                WORD / q.of("tile"),
                SECTOR * q.of("load_sectors") / q.of("flops"),
            ),
            "Twice the tile halves the bytes that are loaded.",
        ),
    ),
)

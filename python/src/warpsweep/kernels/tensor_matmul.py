"""tensor_matmul: products on tensor cores; data that take less power are the control."""

from __future__ import annotations

from . import Family, name_tf32

FAMILY = Family(
    vendor=("cublaslt",), controls=("data=zeros,ones,whole",), fitted=True, correct=name_tf32
)

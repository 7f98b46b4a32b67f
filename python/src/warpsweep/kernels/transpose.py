"""transpose: of a matrix."""

from __future__ import annotations

from . import Family

FAMILY = Family(error_elsewhere=2.12, vendor=("cublas",), error=1.18, baseline=("paper",))

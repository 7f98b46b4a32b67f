"""host_copy: between host and device."""

from __future__ import annotations

from . import Family

FAMILY = Family(error=1.11, baseline="paper", blocks=False)

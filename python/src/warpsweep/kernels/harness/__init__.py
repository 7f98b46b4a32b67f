"""harness: one kernel, timed as other harnesses do."""

from __future__ import annotations

from .. import Family

FAMILY = Family(apart=("harness",), controls=("harness!=warpsweep",), tables=("harnesses",))

"""pages: reach of TLBs; as many lines on few pages are the control."""

from __future__ import annotations

from . import Family

FAMILY = Family(controls=("variant=lines",))

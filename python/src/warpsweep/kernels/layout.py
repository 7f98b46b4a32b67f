"""layout: fields of records."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd

from . import DRAM, SECTOR, Family, Law


def record(q: SimpleNamespace) -> pd.Series[float]:
    """Bytes of a record."""
    return q.element * q.of("fields")


FAMILY = Family(
    choices="variant vector records items block carveout",
    error={"h100": 1.064, "h200": 1.089, "other": 1.104},
    laws=(
        Law(
            "layout_aos",
            "DRAM bytes read for a record of an array of structures",
            "the record",
            "record",
            "bytes",
            "layout_read",
            DRAM,
            lambda q: (
                q.is_("variant", "aos") & (record(q) <= SECTOR) & q.beyond_l2(q.size),
                record(q),
                record(q),
                q.of("dram_bytes_read") / (q.size / record(q)),
            ),
            "An array of structures moves the whole record from DRAM, whatever fields are read.",
        ),
        Law(
            "layout_soa",
            "DRAM bytes read for a record of structures of arrays",
            "the fields read",
            "fields",
            "bytes",
            "layout_read",
            DRAM,
            lambda q: (
                ~q.is_("variant", "aos") & (record(q) <= SECTOR) & q.beyond_l2(q.size),
                q.element * q.of("read"),
                q.element * q.of("read"),
                q.of("dram_bytes_read") / (q.size / record(q)),
            ),
            "Structures of arrays move only the fields that are read from DRAM.",
        ),
    ),
)

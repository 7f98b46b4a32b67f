"""layout: fields of records."""

from __future__ import annotations

from . import DRAM, SECTOR, Family, Law

FAMILY = Family(
    error=1.08,
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
                q.is_("variant", "aos") & (q.record <= SECTOR) & q.beyond_l2(q.size),
                q.record,
                q.record,
                q.of("dram_bytes_read") / (q.size / q.record),
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
                ~q.is_("variant", "aos") & (q.record <= SECTOR) & q.beyond_l2(q.size),
                q.element * q.of("read"),
                q.element * q.of("read"),
                q.of("dram_bytes_read") / (q.size / q.record),
            ),
            "Structures of arrays move only the fields that are read from DRAM.",
        ),
    ),
)

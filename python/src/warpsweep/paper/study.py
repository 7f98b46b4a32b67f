"""What a paper is about: the points of its files side by side, device by device, and what their families are measured
by."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from .. import units
from ..laws import number, word
from ..frames import Group, frame, is_text, is_throttled, points, words_in_order
from ..results import Results

UNITS = {"bandwidth": "GB/s", "flop_rate": "TFLOP/s", "latency_p50": "cycles", "time_median": "us"}
QUANTITIES = {"bandwidth": "bandwidth", "flop_rate": "rate", "latency_p50": "latency", "time_median": "time"}
SAMPLES_MIN = 4  # of a point whose samples are halved
ALONE = 0.01  # a smaller share of the bytes does not count
ROOFS = {"dram_read": "DRAM read", "dram_write": "DRAM write", "dram_mix": "DRAM read and write", "l2": "L2",
         "shared": "shared memory", "link_h2d": "host to device", "link_d2h": "device to host",
         "link_peer": "link between devices", "tensor_i8": "8-bit integer tensor cores", "tensor_f4": "FP4 tensor cores",
         **{f"flop_{kind}": f"{name} arithmetic" for kind, name in
            (("f16", "FP16"), ("bf16", "BF16"), ("f32", "FP32"), ("f64", "FP64"))},
         **{f"tensor_{kind}": f"{name} tensor cores" for kind, name in
            (("f16", "FP16"), ("bf16", "BF16"), ("tf32", "TF32"), ("f8", "FP8"))}}


@dataclass(frozen=True)
class Family:
    """A kernel family: the column that its points are measured by, and the axes that vary among them but
    ``variant``."""

    name: str
    quantity: str
    bounded: bool  # some of its points have a roof: they are ranked by their share of it
    axes: list[str]
    points: int

    @property
    def unit(self) -> str:
        return UNITS[self.quantity]

    @property
    def words(self) -> str:
        return QUANTITIES[self.quantity]


def listed(names: list[str], none: str = "") -> str:
    """``A, B and C``."""
    return none if not names else ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]


def _order(values: pd.Series) -> pd.Series:
    """Words of an axis have an order; what does not apply comes first."""
    if not is_text(values) or values.name in ("kernel", "id"):
        return values
    return values.map({word: place for place, word in enumerate(words_in_order(str(values.name), set(values) - {""}))})


class Study:
    """The files of a paper.

    ``rows`` has a row for each point and device, in the order of families, then of axes. Beside the columns of the
    file: ``.label`` (short name of the device), ``.place`` (its number) and ``.row`` (in ``all``), ``.ok``,
    ``.time_error`` (half of the time's interval, relative), ``.share`` and ``.share_half`` (% of the roof), ``.value``
    and ``.value_half`` (in the unit of its family), ``.rank`` (larger is better, by one half of the samples), ``.held``
    (time over that of the other half), ``.at`` (the axes that vary, in words), ``.roof`` (in words), ``.slowed``.
    """

    def __init__(self, files: list[Results]) -> None:
        self.files = files
        self.effects: dict[str, list] = {}  # of findings.decisive, which several sections ask for
        self.all = frame(files, canaries=True)
        self.groups = self.all.attrs["groups"]  # by label
        short = [group.short for group in self.groups.values()]
        self.labels = {label: group.short if group.short and short.count(group.short) == 1 else label
                       for label, group in self.groups.items()}
        self.devices = list(self.labels.values())
        self.columns = self.all.attrs["columns"]
        rows = points(self.all)
        rows = rows[rows["source"] != ""]
        if "variant" not in rows:
            rows = rows.assign(variant="")
        self.axes = [name for name in self.columns if self.columns[name].role == "axis" and name in rows]
        self.rows = self._ordered(rows)
        self.families = [self._family(name, of) for name, of in self.rows.groupby("kernel", sort=True)]
        self.rows = pd.concat([self.rows, self._measured()], axis=1)
        self.points = self.rows.drop_duplicates(["kernel", "id"])

    def _ordered(self, rows: pd.DataFrame) -> pd.DataFrame:
        """One row per point and device, by family, by the axes in the file's order, and by id."""
        place = {label: place for place, label in enumerate(self.labels)}
        rows = pd.concat([rows, pd.DataFrame({".label": rows["source"].map(self.labels),
                                              ".place": rows["source"].map(place), ".row": rows.index})], axis=1)
        rows = rows.drop_duplicates(["kernel", "id", "source"])
        self.axes = [axis for axis in self.axes if (rows.groupby("kernel")[axis].nunique(dropna=False) > 1).any()]
        return rows.sort_values(["kernel", *self.axes, "id", ".place"], na_position="first", kind="stable",
                                ignore_index=True, key=_order)

    def _family(self, name: str, rows: pd.DataFrame) -> Family:
        ok = rows[rows["status"] == "ok"]
        if number(ok, "latency_p50").notna().any():
            quantity = "latency_p50"
        elif word(ok, "roof").str.match("flop").mean() > 0.5:
            quantity = "flop_rate"
        else:
            quantity = "bandwidth" if number(ok, "bandwidth").notna().any() else "time_median"
        varying = [axis for axis in self.axes if axis != "variant"
                   and rows[axis].replace("", np.nan).nunique() > 1]
        return Family(name, quantity, bool((number(ok, "fraction_peak") > 0).any()), varying, rows["id"].nunique())

    def _measured(self) -> pd.DataFrame:
        """What the tables and findings show of each row."""
        rows, ok = self.rows, self.rows["status"] == "ok"
        error = (number(rows, "time_ci_high") - number(rows, "time_ci_low")) / 2 / number(rows, "time_median")
        share = number(rows, "fraction_peak").where(ok) * 100
        # What a prediction calls an interval is the model's error at the ends of its profile.
        backends = {label: group.backend for label, group in self.groups.items()}
        error = error.mask(rows["source"].map(backends) == "predicted")
        # With the range of the roof; files before release 0.4 have none.
        half = (number(rows, "fraction_peak_high") - number(rows, "fraction_peak_low")) / 2
        share_error = (half / number(rows, "fraction_peak")).where(error.notna()).fillna(error)
        quantity = rows["kernel"].map({family.name: family.quantity for family in self.families})
        value = pd.Series(np.nan, rows.index)
        for name, unit in UNITS.items():
            value = value.mask(quantity == name, number(rows, name) / units.scale(unit))
        value = value.where(ok)
        bounded = rows["kernel"].isin([family.name for family in self.families if family.bounded])
        smaller = quantity.isin(["latency_p50", "time_median"])
        half = self._halves().reindex(rows[".row"]).set_axis(rows.index)
        chosen, held = (number(rows, "time_median") / half[part] for part in (0, 1))
        chosen = chosen.fillna(1).mask(quantity == "latency_p50", 1)
        at = [self.describe(of, family.axes) for family, (_, of) in zip(self.families, rows.groupby("kernel"))]
        return pd.DataFrame({
            ".ok": ok, ".time_error": error, ".share": share, ".share_half": share * share_error, ".value": value,
            ".value_half": value * error.mask(quantity == "latency_p50"),
            ".rank": (share * chosen).where(bounded, (value * chosen).mask(smaller, -value / chosen)),
            ".held": held.fillna(1), ".roof": self._roof_names(rows),
            ".slowed": is_throttled(rows), ".at": pd.concat(at) if at else ""})

    def _halves(self) -> pd.DataFrame:
        """The time of each row of ``all`` by every second of its samples, and by the others: columns 0 and 1, the
        geometric means over processes of their medians."""
        parts, first_row = [], 0
        for file in self.files:
            rows = file.rows[file.rows["sample_count"] >= SAMPLES_MIN]
            count = rows["sample_count"].to_numpy(int)
            at = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)  # within the row
            samples = file.samples.iloc[np.repeat(rows["sample_offset"].to_numpy(int), count) + at]
            logs = pd.DataFrame({"row": np.repeat(rows.index.to_numpy() + first_row, count), "half": at % 2,
                                 "process": samples["process"].to_numpy() if "process" in samples else 0,
                                 "log": np.log(samples["seconds"].to_numpy()) if len(samples) else []})
            medians = logs.groupby(["row", "half", "process"])["log"].median()
            parts.append(medians.groupby(["row", "half"]).mean().unstack())
            first_row += len(file.rows)
        return np.exp(pd.concat(parts).reindex(columns=[0, 1]))

    @staticmethod
    def _roof_names(rows: pd.DataFrame) -> pd.Series:
        """The roofs in words; a mix of reads alone is DRAM read, of writes alone DRAM write."""
        read, written, roof = number(rows, "bytes_read"), number(rows, "bytes_written"), word(rows, "roof")
        mix = roof == "dram_mix"
        roof = roof.mask(mix & (written < ALONE * read), "dram_read")
        roof = roof.mask(mix & (read < ALONE * written) & ~(written < ALONE * read), "dram_write")
        return roof.map(ROOFS).fillna("")

    def describe(self, rows: pd.DataFrame, axes: list[str]) -> pd.Series:
        """``size 64MiB, vector 4`` for each row; an axis that does not apply is left out."""
        words = pd.Series("", rows.index)
        for axis in axes:
            texts = rows[axis].map(lambda value, axis=axis: self.axis_text(axis, value), na_action="ignore").fillna("")
            named = axis + " " + texts.astype(str)
            words = words.mask(texts != "", words + np.where(words != "", ", ", "") + named)
        return words

    def axis_text(self, axis: str, value: object) -> str:
        """An axis value as it is typed in a job."""
        if isinstance(value, str) or value is None or value != value:
            return value if isinstance(value, str) else ""
        number = float(value)  # type: ignore[arg-type]
        column = self.columns[axis]
        if column.unit == "bytes" and number == int(number):
            return units.bytes_text(int(number)) if number < 2**40 else ""  # 16TiB: no limit
        return f"{number:.10g}"

    def best(self, by: list[str]) -> pd.DataFrame:
        """The row that ranks highest in each group of ``by``, with ``.of``: the number of rows it is chosen from. Its
        share and value are those of the samples that did not choose it."""
        ranked = self.rows[np.isfinite(self.rows[".rank"])]
        groups = ranked.groupby(by, sort=False)[".rank"]
        best = ranked.loc[groups.idxmax()]
        time = best["kernel"].isin([family.name for family in self.families if family.quantity == "time_median"])
        cycles = best["kernel"].isin([family.name for family in self.families if family.quantity == "latency_p50"])
        return best.assign(**{".of": groups.size().to_numpy(), ".share": best[".share"] * best[".held"],
                              ".value": best[".value"] * best[".held"].mask(time, 1 / best[".held"]).mask(cycles, 1)})

    def group(self, device: str) -> Group:
        """What rows of a device were measured on; ``device`` is its short name."""
        return next(self.groups[label] for label, name in self.labels.items() if name == device)

    def on(self, backend: str) -> list[str]:
        """The devices of a back end: "cuda", "host", "predicted"."""
        return [device for device in self.devices if self.group(device).backend == backend]

    def properties(self, device: str) -> pd.Series:
        """The row of /devices of the first device of this name."""
        of = self.rows[self.rows[".label"] == device].sort_values("device", kind="stable")
        names = [name for name in of if name.startswith("device.")]
        return of[names].iloc[0].rename(lambda name: name[len("device."):])

"""Claims of a paper: each number that it prints of measured points with an interval is one, and each claim is printed."""
import html
import re

import pytest

pytest.importorskip("jinja2")
from test_paper import DATA, SHIPPED, make, placeholders  # noqa: E402, F401

from warpsweep import units  # noqa: E402
from warpsweep.claims import Claim, claims_of  # noqa: E402
from warpsweep.paper.study import Study  # noqa: E402
from warpsweep.results import read  # noqa: E402

NUMBER = r"(?:about )?\d[\d.]*(?: ± [\d.]+)?"
DAILY = [("h100-energy.h5",), ("h100-copy.h5", "h200-copy.h5")]


def claims(*names):
    return claims_of(Study([read(DATA / name) for name in names]))


def texts(folder):
    """The page, and the LaTeX of the whole paper, as plain text. A number above its roof is no result."""
    page = html.unescape(re.sub("<[^>]+>", " ", re.sub("</?small>", "", (folder / "index.html").read_text("utf-8"))))
    latex = " ".join(path.read_text("utf-8") for path in [folder / "paper.tex", *folder.glob("*/*.tex")]).replace(r"$\pm$", "±")
    return [re.sub(rf"{NUMBER}§", "", re.sub(r"[\u202f~]", " ", text)) for text in (page, latex)]


@pytest.mark.parametrize("names", [*DAILY, *(pytest.param((name,), marks=pytest.mark.weekly) for name in SHIPPED),
                                   pytest.param(("h100-paper.h5", "h200-paper.h5"), marks=pytest.mark.weekly)])
def test_what_a_paper_prints_with_an_interval_is_a_claim(names, tmp_path, placeholders):  # noqa: F811
    made = claims(*names)
    assert list(made) == list(Claim._fields) and made["claim"].is_unique
    make(tmp_path / "paper", *(DATA / name for name in names), options=["--full"])
    own = {units.format(one.value, (one.high - one.low) / 2) for one in made.itertuples()}
    for text in texts(tmp_path / "paper"):
        printed = re.findall(NUMBER, text)
        assert {one for one in printed if "±" in one} <= own
        assert own <= set(printed)
    assert made["sentence"].str.endswith(".").all()

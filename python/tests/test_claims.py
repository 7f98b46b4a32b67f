"""Claims of a paper: each number that it prints of measured points with an interval is one, and each claim is printed."""
import copy
import html
import re

import pytest

pytest.importorskip("jinja2")
from test_paper import DATA, ROOT, SHIPPED, make, study  # noqa: E402

from warpsweep import claims, units  # noqa: E402
from warpsweep.claims import DEVICES, ENERGY, ORDER, RATE, SHARE, VARIANTS, VENDOR, Claim  # noqa: E402
from warpsweep.paper import content, drawing, render, saying  # noqa: E402
from warpsweep.paper.study import Study  # noqa: E402

NUMBER = r"(?:about )?\d[\d.]*(?: ± [\d.]+)?"


def texts(folder):
    """The page, and the LaTeX of the whole paper, as plain text. A number above its roof is no result."""
    page = html.unescape(re.sub("<[^>]+>", " ", re.sub("</?small>", "", (folder / "index.html").read_text("utf-8"))))
    latex = " ".join(path.read_text("utf-8") for path in [folder / "paper.tex", *folder.glob("*/*.tex")]).replace(r"$\pm$", "±")
    return [re.sub(rf"{NUMBER}§", "", re.sub(r"[\u202f~]", " ", text)) for text in (page, latex)]


def check(of, folder):
    """All numbers are claims, and all claims are printed; orders are those of the numbers."""
    made = claims.claims_of(of)
    own = {units.format(one.value, (one.high - one.low) / 2) for one in made[made["kind"] != ORDER].itertuples()}
    for text in texts(folder):
        printed = re.findall(NUMBER, text)
        assert {one for one in printed if "±" in one} <= own
        assert own <= set(printed)
    assert list(made) == list(Claim._fields) and made["claim"].is_unique and made["sentence"].str.endswith(".").all()
    rows = of.rows.set_index(["id", ".label"])
    for one in made[made["kind"] == ORDER].itertuples():
        worse, better = (rows.loc[(point, one.device)] for point in one.points.split())
        time = worse["time_median"] / better["time_median"]
        gain = time if one.quantity == "time_median" else better[one.quantity] / worse[one.quantity]
        assert one.value == pytest.approx(gain, rel=1e-6) and 1 < one.low < one.value < one.high
    return set(made["kind"])


@pytest.mark.parametrize("names", [("h100-energy.h5",), ("h100-numerics.h5", "h200-numerics.h5")])
def test_what_a_paper_prints_with_an_interval_is_a_claim(names, tmp_path):
    """Without figures, whose captions have no such numbers."""
    of, analysis = study(*names), ROOT / "analysis"
    figures = [drawing.Drawn(name, "", "*", "x", rows=rows) for name, rows in [("ladder", claims.steps(of, analysis))] if len(rows)]
    paper = content.make(of, saying.Say(of, analysis), figures)
    render.write_page(paper, analysis, tmp_path, render.write_latex(paper, analysis, tmp_path, full=True))
    kinds = check(of, tmp_path)
    assert kinds >= ({RATE, SHARE, DEVICES} if len(names) > 1 else {RATE, SHARE, ENERGY, VENDOR, VARIANTS})


@pytest.mark.weekly
@pytest.mark.parametrize("names", [*((name,) for name in SHIPPED), ("h100-paper.h5", "h200-paper.h5")])
def test_whole_papers(names, tmp_path, placeholders):
    make(tmp_path / "paper", *(DATA / name for name in names), options=["--full"])
    check(study(*names), tmp_path / "paper")


def test_predictions_are_no_claims():
    measured, guess = (copy.deepcopy(study(f"{name}-numerics.h5").files[0]) for name in ("h100", "h200"))
    guess.rows["backend"] = guess.devices["backend"] = "predicted"
    for name in ("predicted_time", "predicted_time_low", "predicted_time_high"):
        guess.rows[name] = guess.rows["time_median"]
    made = claims.claims_of(Study([measured, guess]))
    assert set(made["device"]) == {"H100"} and len(made) > 5

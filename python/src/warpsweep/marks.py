"""What gnuplot draws of each curve: the blocks of NAME.tsv, the parts of ``plot``, and the entries of the key."""
from __future__ import annotations

from .figure import Curve, Figure, Panel, short_names

# Colours for all kinds of colour vision, after Okabe & Ito (2008). The smallest CIEDE2000 difference of two of them is
# 27, as seen with deuteranopia 14.6, protanopia 16.5 and tritanopia 13.1 (simulated after Machado et al. 2009).
COLOURS = ("#0072B2", "#D55E00", "#21A671", "#A6106B", "#7CCBE8", "#E6AC00", "#000000", "#66321F")
# Filled areas for grey print: colours of similar grey have different patterns, on a tint of the colour; 3 is solid.
FILLS = (3, 3, 4, 3, 5, 2, 3, 1)
TINTS = ("#0072B2", "#D55E00", "#B1E0CD", "#A6106B", "#D1EDF7", "#F6E2A6", "#000000", "#C9B7B1")
DASHES = (1, 2, 4, 3)  # gnuplot's dash types: solid, dashed, dashed and dotted, dotted
GREY, EDGE = "#555555", "#222222"
HOVER, HOVERS_MAX = "value ", 1000  # a point's mark for the pointer, of which an SVG has at most so many


def quoted(text: str) -> str:
    """A text as an expression of gnuplot. An apostrophe is a string of its own: gnuplot misreads a doubled one at the start
    of a text, and beside another."""
    return "'" + text.replace("'", "'.\"'\".'") + "'"


def table(figure: Figure) -> str:
    """NAME.tsv: x, y, low, high in the units of the axes, then the columns that the curve is made of."""
    parts, throttled = [], any(curve.points["throttled"].any() for curve in figure.curves)
    for curve in figure.curves:
        data = curve.points.drop(columns="throttled").rename(columns=lambda column: column.replace("row.", "", 1))
        if throttled:
            data["throttled"] = curve.points["throttled"].map({True: "yes", False: "no"})
        parts.append(f"# [{curve.name}]\n" + data.to_csv(sep="\t", index=False, na_rep="NaN", float_format="%.12g"))
    return "\n\n".join(parts)


def plot_command(figure: Figure, panel: Panel, hover: bool) -> str:
    """``plot`` with the curves of a panel; ``hover``: points have marks for the pointer."""
    file, parts, above = quoted(f"{figure.name}.tsv"), [], []
    hover = hover and sum(len(curve.points) for curve in figure.curves) <= HOVERS_MAX
    for number, curve in enumerate(figure.curves):
        if curve.panel is panel:
            block = f"{file} index {quoted(f'[{curve.name}]')} using "
            parts += [f"{block}{element} notitle" for element in elements(figure, curve)]
            if curve.points["throttled"].any():
                ring = "'x':(strcol('throttled') eq 'yes' ? column('y') : NaN) with points pt 6 ps 1 lw 0.7"
                above.append(f"{block}{ring} lc rgb '{EDGE}' notitle")
            if hover:
                text = f"sprintf('{HOVER}{number}.%d', column(0))"
                above.append(f"{block}'x':'y':({text}) with labels hypertext point pt 7 lc rgb '#ff000000' notitle")
    return "plot " + ", \\\n     ".join([*parts, *above])


def elements(figure: Figure, curve: Curve) -> list[str]:
    """Columns and style of what draws one curve. Bars come first, so that marks lie on them."""
    draw, columns = figure.draw, figure.directives.all("columns")
    colour, bars = f"lc rgb '{COLOURS[curve.colour]}'", bool(curve.points["low"].notna().any())
    size = 0.42 if curve.mark % 2 else 0.55  # hollow marks look smaller
    mark, dash = f"pt {curve.mark} ps {size:g}", f"dt {DASHES[curve.dash]}"
    if curve.lined:
        return [f"'x':'y' with lines {colour} lw 0.8 {dash}"]
    if draw == "cells":
        square = "(column('x') - 0.5):(column('x') + 0.5):(column('y') - 0.5):(column('y') + 0.5)"
        return [f"'x':'y':{square}:(shade(column('{columns[0]}'))) with boxxyerror lc rgb variable fillstyle solid 1 "
                "noborder", f"'x':'y':(digits(column('{columns[-1]}'))) with labels font ',6'"]
    if draw == "areas":
        box = "'x':'y':'low':'high':(column('y') - 0.33):(column('y') + 0.33) with boxxyerror lw 0.4 "
        return [box + fill for fill in fills(curve.colour, "transparent ")]
    if draw == "steps":
        return [f"'x':'y' with steps {colour} lw 1.1 {dash}",
                *(f"'x':(strcol('{name}') eq 'yes' ? column('y') : NaN) with points {colour} {mark}"
                  for name in columns[:1])]
    if draw == "across":
        return [f"'x':'y':'low':'high' with xerrorbars {colour} dt 1 lw 0.9 {mark}"]
    said = [f"'x':'y':'low':'high' with yerrorbars {colour} dt 1 pt 0 lw 0.7"] * bars
    lines = f"with linespoints lw 1.1 {dash}" if draw == "curves" else "with points"
    return [*said, f"'x':'y' {lines} {colour} {mark}"]


def fills(colour: int, transparent: str = "") -> list[str]:
    """A solid area, or its tint and then its pattern."""
    border, fill = f"border lc rgb '{EDGE}'", FILLS[colour]
    solid = f"lc rgb '{TINTS[colour]}' fillstyle solid 1 {border}"
    pattern = f"lc rgb '{COLOURS[colour]}' fillstyle {transparent}pattern {fill} {border}"
    return [solid, pattern] if fill != 3 else [solid]


def key_entries(figure: Figure) -> list[tuple[str, str]]:
    """Titles and styles: with several devices in a panel n + m entries, colours for devices and marks for curves."""
    if figure.draw == "cells":
        return []
    short, draw, entries = short_names(figure.sources), figure.draw, []
    curves = {curve.label: curve for curve in figure.curves if curve.label != curve.panel.part}
    if figure.together:
        shown = {curve.source for curve in figure.curves}
        kind = "with lines lw 2.5" if draw == "curves" else "with points pt 7 ps 0.7"
        entries = [(short[group.label], f"{kind} lc rgb '{COLOURS[at % len(COLOURS)]}'")
                   for at, group in enumerate(figure.sources) if group.label in shown]
    for label, curve in curves.items() if len(curves) > 1 else ():
        colour, mark = (GREY, curve.mark | 1) if figure.together else (COLOURS[curve.colour], curve.mark)
        dash = f"dt {DASHES[curve.dash]}"
        kind = (f"with boxes {fills(curve.colour)[-1]}" if draw == "areas"
                else f"with lines lc rgb '{colour}' {dash}" if curve.lined
                else f"with linespoints lc rgb '{colour}' pt {mark} ps 0.42 {dash}" if draw in ("curves", "steps")
                else f"with points lc rgb '{colour}' pt {mark} ps 0.6")
        entries.append((label, kind))
    return entries

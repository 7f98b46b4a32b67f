"""Text for Markdown, LaTeX and HTML: what has a meaning there is escaped."""
from __future__ import annotations

import html
import re

LATEX = {"#": r"\#", "$": r"\$", "%": r"\%", "&": r"\&", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
         "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "<": "$<$", ">": "$>$", "\n": " ", "\r": " ", "\t": " "}
MD = {**{sign: "\\" + sign for sign in "|\\`*_<>[]"}, "\n": " ", "\r": " ", "\t": " "}


def latex(text: str) -> str:
    """For LaTeX: 10^-12 becomes a power, a line does not end between a number and %, -- stays two signs."""
    parts = re.split(r"(\^[-.0-9]+|(?<=\d) %|--)", text)
    return "".join(f"$^{{{part[1:]}}}$" if re.fullmatch(r"\^[-.0-9]+", part) else r"~\%" if part == " %"
                   else "-{}-" if part == "--" else "".join(LATEX.get(sign, sign) for sign in part) for part in parts)


def md(text: str) -> str:
    """For Markdown, in one line."""
    return "".join(MD.get(sign, sign) for sign in text)


def escape(markup: str, text: str) -> str:
    """For the markup text, md, latex or html."""
    return {"latex": latex, "md": md, "html": html.escape}.get(markup, str)(text)

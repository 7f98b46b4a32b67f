"""Texts as LaTeX: what is special is escaped, what occurs in physics becomes mathematics, and what no font of a paper has is named."""

from __future__ import annotations

import re
import unicodedata

from .errors import UsageError

DAGGER = "†"
_GREEK = (
    "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi o pi rho varsigma sigma tau "
    "upsilon varphi chi psi omega"
).split()
_CAPITALS = r"A B \Gamma \Delta E Z H \Theta I K \Lambda M N \Xi O \Pi P . \Sigma T \Upsilon \Phi X \Psi \Omega".split()
_MATH = {  # signs, and their names in mathematics
    **{chr(0x3B1 + place): name for place, name in enumerate(_GREEK)},
    "ϑ": "vartheta",
    "ϕ": "phi",
    "ϖ": "varpi",
    "ϱ": "varrho",
    "ϵ": "epsilon",
    "µ": "mu",
    "ħ": "hbar",
    "ℏ": "hbar",
    "ℓ": "ell",
    "±": "pm",
    "∓": "mp",
    "×": "times",
    "÷": "div",
    "·": "cdot",
    "⋅": "cdot",
    "∗": "ast",
    "∘": "circ",
    "⊗": "otimes",
    "⊕": "oplus",
    "∞": "infty",
    "≤": "leq",
    "≥": "geq",
    "⩽": "leq",
    "⩾": "geq",
    "≠": "neq",
    "≈": "approx",
    "≡": "equiv",
    "∼": "sim",
    "≃": "simeq",
    "≅": "cong",
    "∝": "propto",
    "≪": "ll",
    "≫": "gg",
    "∈": "in",
    "∉": "notin",
    "⊂": "subset",
    "⊆": "subseteq",
    "⊃": "supset",
    "⊇": "supseteq",
    "∪": "cup",
    "∩": "cap",
    "∅": "emptyset",
    "∀": "forall",
    "∃": "exists",
    "¬": "neg",
    "∧": "wedge",
    "∨": "vee",
    "∥": "parallel",
    "⊥": "perp",
    "∠": "angle",
    "∂": "partial",
    "∇": "nabla",
    "∑": "sum",
    "∏": "prod",
    "∫": "int",
    "√": "surd",
    "⟨": "langle",
    "⟩": "rangle",
    "⌈": "lceil",
    "⌉": "rceil",
    "⌊": "lfloor",
    "⌋": "rfloor",
    "←": "leftarrow",
    "→": "rightarrow",
    "↔": "leftrightarrow",
    "↑": "uparrow",
    "↓": "downarrow",
    "↦": "mapsto",
    "⇐": "Leftarrow",
    "⇒": "Rightarrow",
    "⇔": "Leftrightarrow",
    "⋯": "cdots",
}
_DIGITS = "0123456789+-=()"
SIGNS = {
    "#": r"\#",
    "$": r"\$",
    "%": r"\%",
    "&": r"\&",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "<": "$<$",
    ">": "$>$",
    "\n": " ",
    "\r": " ",
    "\t": " ",
    "—": "---",
    "−": "$-$",
    "\u2009": r"\,",  # thin spaces
    "\u202f": r"\,",
    DAGGER: r"\textsuperscript{\dag}",
    "‡": r"\textsuperscript{\ddag}",
    **{sign: f"$\\{name}$" for sign, name in _MATH.items()},
    "ο": "$o$",
    "′": r"$'$",
    "\ufffd": r"\textbf{?}",  # what results.py puts for a sign that cannot be printed
    **{chr(0x391 + place): f"${name}$" for place, name in enumerate(_CAPITALS) if name != "."},
    **{sign: f"$^{{{of}}}$" for sign, of in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾", _DIGITS)},
    **{sign: f"$_{{{of}}}$" for sign, of in zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", _DIGITS)},
}
# What fontenc's T1 and textcomp's TS1 have beyond ASCII, by the tables that LaTeX comes with: letters of Latin, and punctuation.
_FONTS = (
    "\xa0-\xb7\xb9-\u0125\u0128-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165\u0168-\u017e\u0218-\u021b"
    "\u2010-\u2015\u2018-\u201a\u201c-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122"
)
_NUMBER = re.compile(r"(?<![=,.\w])(\d[.\d]*)(?=(?:[KMGT]iB|[mun]s)\b)")
_UNKNOWN = re.compile(f"[^\x20-\x7e\n{_FONTS}]")


def latex(text: str) -> str:
    """For LaTeX: 10^-12 becomes a power, a line does not end between a number and %, -- stays two signs, 64MiB has a space; as
    the value of an option it is kept."""
    spaced = _NUMBER.sub("\\1\u2009", unicodedata.normalize("NFC", text))
    parts = re.split(r"(\^[-.0-9]+|(?<=\d) %|--)", spaced)
    whole = {" %": r"~\%", "--": "-{}-"}

    def written(part: str) -> str:
        if re.fullmatch(r"\^[-.0-9]+", part):
            return f"$^{{{part[1:]}}}$"
        return whole.get(part) or "".join(SIGNS.get(sign, sign) for sign in part)

    return "".join(map(written, parts))


def refuse_unknown(written: str) -> None:
    """UsageError if `latex` has left a sign that the fonts of a paper do not have."""
    found = _UNKNOWN.search(written)
    if found:
        begin, end = max(0, found.start() - 30), found.end() + 30
        name = unicodedata.name(found[0], f"U+{ord(found[0]):04X}")
        near = " ".join(written[begin:end].split())
        raise UsageError(
            f"the fonts of the paper do not have '{found[0]}' ({name}), in '{near}': give another --title, or rename the file, if it is there, "
            "or load fontspec in a copy of analysis/paper and compile with lualatex"
        )

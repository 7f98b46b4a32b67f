"""Completion in a shell of the commands here: ``warpsweep __complete`` prints what this offers.

One line per candidate: the word, a tab, its description. A line that begins with a slash asks the shell for files:
``/files .h5``, ``/files`` or ``/folders``."""
from __future__ import annotations

from collections.abc import Sequence

from .options import Command

FILES = {"FILE.h5": ["/files .h5"], "FILE": ["/files"], "DIR": ["/folders"]}


def candidates(command: Command, words: Sequence[str]) -> list[str]:
    """The lines for the last of the words behind the command's name; it may be empty."""
    options = command.options
    names = {name: option for option in options for name in (f"--{option.name}", f"-{option.letter or option.name}")}
    typed, before = words[-1], ""
    option = names.get(words[-2]) if len(words) > 1 else None
    if option is None or not option.value:
        name, before, value = typed.partition("=")
        option, before, typed = (names.get(name), f"{name}=", value) if before else (None, "", typed)
    if option is not None:
        return [f"{before}{word}\t" for word in option.words if word.startswith(typed)] or FILES.get(option.value, [])
    if typed.startswith("-"):
        return [f"--{option.name}\t{option.help}" for option in options if f"--{option.name}".startswith(typed)]
    return ["/files .yaml .yml"] if "JOB" in command.operands else ["/files .h5"] if ".h5" in command.operands else []

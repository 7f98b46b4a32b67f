"""Completion in a shell of the commands here: ``warpsweep __complete`` prints what this offers.

One line per candidate: the word, a tab, its description. A line that begins with a slash asks the shell for files:
``/files .h5``, ``/files`` or ``/folders``."""
from __future__ import annotations

from collections.abc import Sequence

from .options import HELP, Command, Option

FILES = {"FILE.h5": ("/files .h5",), "FILE": ("/files",), "DIR": ("/folders",)}


def candidates(command: Command, words: Sequence[str]) -> list[str]:
    """The lines for the last of the words behind the command's name; it may be empty."""
    options = (*command.options, HELP)
    names = {f"--{option.name}": option for option in options}
    names.update({f"-{option.letter}": option for option in options if option.letter})
    typed, previous = words[-1], names.get(words[-2]) if len(words) > 1 else None
    name, equals, value = typed.partition("=")
    if previous is not None and previous.value:
        return _values(previous, "", typed)
    if name.startswith("--") and equals:
        return _values(names[name], f"{name}=", value) if name in names else []
    if typed.startswith("-"):
        return [f"--{option.name}\t{option.help}" for option in options if f"--{option.name}".startswith(typed)]
    if "JOB" in command.operands:
        return ["/files .yaml .yml"]
    return ["/files .h5"] if ".h5" in command.operands else []


def _values(option: Option, before: str, typed: str) -> list[str]:
    """The words that an option allows, else files if it names some."""
    if option.words:
        return [f"{before}{word}\t" for word in option.words if word.startswith(typed)]
    return list(FILES.get(option.value, ()))

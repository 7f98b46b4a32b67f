"""Command lines: the text of a command's ``--help`` feeds the parser and the defaults.

Imports nothing outside the standard library, so that help and usage errors answer at once."""

from __future__ import annotations

import getopt
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import NamedTuple

from .errors import UsageError, nearest, unknown


class Option(NamedTuple):
    """An option of a command. Without a ``value`` it is a flag; ``words`` are the allowed values, if not any. ``default`` is
    REQUIRED where there is none."""

    letter: str
    name: str
    value: str
    help: str
    words: tuple[str, ...]
    default: str | None


# "  -f, --format FORMAT        help: WORD, WORD [DEFAULT]"
_OPTION = re.compile(
    r"^  (?:-(\w), |    )--([\w-]+)(?: ([A-Z]\S*))? +(.*?)(?:: ([\w-]+(?:, [\w-]+)+))?(?: \[(.*)\])?$",
    re.M,
)


REQUIRED = "required"
VERBOSE = "  -v, --verbose              after an internal error, print where it happened"
HELP = "  -h, --help                 show this help"


class Command:
    """A command by its text of ``--help``; ``run``: "module.function", which returns the exit code."""

    def __init__(self, run: str, operands: str, text: str) -> None:
        (title, text), names = text.split("\n\n", 1), operands.split()
        self.run, self.operands, self.name = run, operands, title.split()[1]
        common = HELP if " --verbose " in text else f"{VERBOSE}\n{HELP}"
        text = text.replace("\n\nExamples:", f"\n{common}\n\nExamples:")
        self.help = f"{title}\n\nUsage: warpsweep {self.name} [OPTION]... {operands}\n\n{text}"
        self.minimum = sum(not name.startswith("[") for name in names)
        self.maximum = sys.maxsize if self.operands.endswith("...") else len(names)

    @property
    def options(self) -> list[Option]:
        """What the text says of options."""
        of = self.help.partition("\nOptions:\n")[2].partition("\n\n")[0]
        return [
            Option(
                letter,
                name,
                value,
                text,
                tuple(words.split(", ")) if words else (),
                default or None,
            )
            for letter, name, value, text, words, default in _OPTION.findall(of)
        ]

    def start(self, arguments: Arguments) -> int:
        """Run it; returns the exit code."""
        module, name = self.run.split(".")
        return int(getattr(import_module(f".{module}", __package__), name)(arguments))


@dataclass
class Arguments:
    """A command line, checked against the table of its command."""

    command: Command
    # option and value, in the order given
    values: list[tuple[str, str]] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)

    def each(self, name: str) -> list[str]:
        """All values given for an option, in their order."""
        return [value for option, value in self.values if option == name]

    def given(self, name: str) -> bool:
        """Whether the option was given."""
        return any(option == name for option, _ in self.values)

    def text(self, name: str) -> str | None:
        """The last value given, else the default, which may be None."""
        default = next(option.default for option in self.command.options if option.name == name)
        return [default, *self.each(name)][-1]

    def share(self, name: str, standard: float) -> float:
        """``1%`` or ``0.01`` as 0.01. UsageError if it is neither, or not above 0; a threshold is below 1."""
        text = self.text(name)
        if text is None:
            return standard
        number, percent = (text[:-1].rstrip(), True) if text.endswith("%") else (text, False)
        try:
            value = float(number) / (100 if percent else 1)
        except ValueError:
            value = -1
        if not 0 < value < (float("inf") if percent and name != "threshold" else 1):
            raise UsageError(f"--{name} '{text[:40]}': expected a share such as 1% or 0.01")
        return value


def parse(command: Command, words: Sequence[str]) -> Arguments:
    """The command line behind the command's name. UsageError with the nearest known name."""
    options = command.options
    try:
        given, operands = getopt.gnu_getopt(
            list(words),
            "".join(f"{one.letter}:" if one.value else one.letter for one in options if one.letter),
            [f"{one.name}=" if one.value else one.name for one in options],
        )
    except getopt.GetoptError as error:
        if "recognized" not in error.msg:
            raise UsageError(f"{error.msg}; see warpsweep {command.name} --help") from None
        dashes = "-" * min(len(error.opt), 2)
        files = [f"./{word}" for word in words if word.startswith(dashes) and os.path.exists(word)]
        name = nearest(error.opt, [one.name for one in options]) if len(error.opt) > 1 else None
        meant = files[0] if files else name and f"--{name}"
        raise UsageError(
            f"{command.name} has no option '{dashes}{error.opt[:80]}'"
            + (f" (did you mean '{meant}'?)" if meant else "")
        ) from None
    known = {name: one for one in options for name in (f"--{one.name}", f"-{one.letter}")}
    arguments = Arguments(command, [(known[name].name, value) for name, value in given], operands)
    if arguments.given("help"):
        return arguments
    for option, value in ((known[name], value) for name, value in given):
        if option.value and not value:
            raise UsageError(f"--{option.name}: expected {option.value}, not an empty text")
        if option.words and value not in option.words:
            raise unknown(f"value of --{option.name}", value, option.words)
    for one in options:
        if one.default == REQUIRED and not arguments.given(one.name):
            raise UsageError(f"{command.name} needs --{one.name} {one.value}: {one.help}")
    if len(operands) < command.minimum:
        raise UsageError(
            f"{command.name} needs {command.operands}; see warpsweep {command.name} --help"
        )
    if len(operands) > command.maximum:
        raise UsageError(
            f"{command.name}: unexpected operand '{operands[command.maximum][:80]}'; "
            f"see warpsweep {command.name} --help"
        )
    return arguments

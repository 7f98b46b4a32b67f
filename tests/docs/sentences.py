"""sentences.py [--mean N] [--longest N] [--program WARPSWEEP] FILE... - prose stays readable: short sentences.

Each FILE is Markdown. Code, tables, headings and HTML do not count. With --program, the paragraphs in the help of all
commands are checked as one text; summaries, usage, lists of options and commands, and examples do not count. A list item
and a paragraph end a sentence, as do . ! and ? before white space; a colon or semicolon does not."""
import argparse
import pathlib
import re
import subprocess
import sys

ABBREVIATIONS = ("e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "Fig.", "Sec.", "no.")


def prose(text):
    """The paragraphs and list items of a Markdown page, each on one line."""
    text = re.sub(r"^(```|~~~).*?^\1", "\n\n", text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    blocks, block = [], []
    for line in text.splitlines() + [""]:
        item = re.match(r"\s*([-*+]|\d+\.)\s+", line)
        code = re.match(r" {4,}|\t", line) and not block
        skip = not line.strip() or code or re.match(r"\s*(#|\||<|\[[^]]*\]:)", line)
        if skip or item:
            blocks.append(" ".join(block))
            block = []
        if not skip:
            block.append(line[item.end():] if item else line.strip())
    return [one for one in blocks + [" ".join(block)] if one]


def sentences(block):
    block = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", block)  # a link counts as its words
    block = re.sub(r"`[^`]*`", "CODE", block)                # a name, whatever its length
    for one in ABBREVIATIONS:
        block = block.replace(one, one.replace(".", ""))
    return [one for one in re.split(r"(?<=[.!?])[*_)\"']*\s+", block) if re.search(r"\w", one)]


def words(sentence):
    return len([word for word in sentence.split() if re.search(r"\w", word)])


def help_prose(text):
    """The paragraphs of a help text, each on one line, without its first line and without lists under a heading."""
    blocks = re.split(r"\n\s*\n", text.partition("\n")[2].strip())
    return [" ".join(one.split()) for one in blocks if not re.match(r"Usage:|[A-Z][A-Za-z, ]+:\n +", one)]


def help_texts(program):
    """(command, help) of the program itself and of each of its commands."""
    def run(*arguments):
        return subprocess.run([program, *arguments], check=True, capture_output=True, encoding="utf-8").stdout

    overview = run("--help")
    yield "warpsweep --help", overview
    for name in re.findall(r"^  ([a-z]+)  +\S", overview, re.M):
        yield f"warpsweep {name} --help", run(name, "--help")


def check(name, found, mean, longest):
    """(faults, words, sentences) of a text whose sentences are pairs of where they are and what they say."""
    if not found:
        return [f"{name}: no sentence at all"], 0, 0
    lengths = [words(one) for _, one in found]
    average = sum(lengths) / len(lengths)
    faults = [f"{where}: {count} words: {one[:120]}" for (where, one), count in zip(found, lengths) if count > longest]
    if average > mean:
        faults.append(f"{name}: {average:.1f} words a sentence on average; at most {mean:g}")
    return faults, sum(lengths), len(lengths)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mean", type=float, default=18)
    parser.add_argument("--longest", type=int, default=40)
    parser.add_argument("--program", help="check the help of this warpsweep, too")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    given = parser.parse_args()
    texts = [(str(path), [(str(path), one) for block in prose(path.read_text(encoding="utf-8")) for one in sentences(block)])
             for path in given.files]
    if given.program:
        texts.append(("help of all commands", [(name, one) for name, text in help_texts(given.program)
                                               for block in help_prose(text) for one in sentences(block)]))
    faults, total, count = [], 0, 0
    for name, found in texts:
        wrong, text_words, text_sentences = check(name, found, given.mean, given.longest)
        faults += wrong
        total, count = total + text_words, count + text_sentences
        if given.verbose:
            print(f"{name}: {text_words} words, {text_words / max(text_sentences, 1):.1f} a sentence")
    if not texts:
        faults.append("nothing to check")
    print("\n".join(faults) or f"{count} sentences, {total / count:.1f} words each on average")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

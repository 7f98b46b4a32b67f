"""sentences.py [--mean N] [--longest N] FILE... - prose stays readable: short sentences, on average and at most.

A FILE is Markdown, or `NAME.txt` with the text of `--help`. Code, tables, headings and HTML do not count. A list item and
a paragraph end a sentence, as do . ! and ? before white space; a colon or semicolon does not."""
import argparse
import pathlib
import re
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


def check(path, mean, longest):
    found = [one for block in prose(path.read_text(encoding="utf-8")) for one in sentences(block)]
    if not found:
        return [f"{path}: no sentence at all"], 0, 0
    lengths = [words(one) for one in found]
    average = sum(lengths) / len(lengths)
    faults = [f"{path}: {count} words: {one[:120]}" for one, count in zip(found, lengths) if count > longest]
    if average > mean:
        faults.append(f"{path}: {average:.1f} words a sentence on average; at most {mean:g}")
    return faults, sum(lengths), len(lengths)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mean", type=float, default=18)
    parser.add_argument("--longest", type=int, default=40)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    given = parser.parse_args()
    faults, total, count = [], 0, 0
    for path in given.files:
        wrong, path_words, path_sentences = check(path, given.mean, given.longest)
        faults += wrong
        total, count = total + path_words, count + path_sentences
        if given.verbose:
            print(f"{path}: {path_words} words, {path_words / max(path_sentences, 1):.1f} a sentence")
    print("\n".join(faults) or f"{count} sentences, {total / count:.1f} words each on average")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

"""What the tools do. A provider may have as many files as it likes; all of them are there in each call."""

import difflib
import math
import re

CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
WORD = re.compile(r"[^\W\u3400-\u9fff\uf900-\ufaff]+")


def measure(text, words_per_minute):
    """Count; a Chinese character counts as a word."""
    words = len(WORD.findall(text)) + len(CJK.findall(text))
    return {
        "characters": len(text),
        "words": words,
        "lines": len(text.splitlines()),
        "reading_seconds": math.ceil(words * 60 / words_per_minute),
    }


def compare(before, after):
    """Return the lines that differ."""
    lines = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    return {
        "added": [line[2:] for line in lines if line.startswith("+ ")],
        "removed": [line[2:] for line in lines if line.startswith("- ")],
    }

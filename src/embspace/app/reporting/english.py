"""Tells English texts by the share of function words, whatever else they contain."""

import csv
import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

ENGLISH = "English"  # as descriptions of models and corpora write it
FUNCTION_WORDS = Path("data/stimuli/function_words.csv")  # with the column `word`
WORD = re.compile(r"[^\W\d_]+")
FEWEST_WORDS = 30
# Our own texts have 0.45 to 0.5; German and Dutch share words as `in` and `was`, 0.15 to 0.3.
SMALLEST_SHARE = 1 / 3
LARGEST_SHARE_OF_ONE = 0.5  # of the function words; `a` and `I` are also letters and labels
MOST_TEXTS = 2000


def function_words(root: Path) -> set[str]:
    """Return the English function words of a tree; none without a file of function words."""
    file = root / FUNCTION_WORDS
    if not file.is_file():
        return set()
    with file.open(encoding="utf-8", newline="") as lines:
        return {row["word"].lower() for row in csv.DictReader(lines)}


def words_of(texts: Iterable[str]) -> list[str]:
    """Return the words of the first 2,000 texts: runs of letters."""
    return [word for text in islice(texts, MOST_TEXTS) for word in WORD.findall(text)]


def is_english(texts: Iterable[str], known: set[str]) -> bool:
    """Return whether a third of the words of texts are English function words, and several.

    Texts of fewer than 30 words are not; of many texts the first 2,000 are read.
    """
    words = [word.lower() for word in words_of(texts)]
    functions = [word for word in words if word in known]
    if len(words) < FEWEST_WORDS or len(functions) < SMALLEST_SHARE * len(words):
        return False
    ((_, n_commonest),) = Counter(functions).most_common(1)
    return n_commonest <= LARGEST_SHARE_OF_ONE * len(functions)

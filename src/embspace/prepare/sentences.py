"""Cuts texts into sentences, and into halves of whole sentences.

Sentences in Latin letters end by a rule that knows abbreviations; in other scripts where Unicode
says (UAX 29), except after listed abbreviations. Scripts without a mark for the end of a sentence,
such as Thai, have ends at empty lines alone.
"""

from collections.abc import Iterator
from unicodedata import category

import pandas as pd
import regex

from embspace.prepare.copies import names_of_copies
from embspace.scripts.words import OF_WORD

FEWEST = 4  # sentences of a text that has halves

_NO_END = (
    r"Mr|Mrs|Ms|Dr|Prof|St|No|Fig|vol|pp|cf|e\.g|i\.e|c|ca|approx",  # English
    r"Nr|Hr|Fr|bzw|vgl|evtl|ggf|Str|Abb",  # German
    r"Mme|Mlle|Sr|Sra|Srta|Dra|núm|pág|Sig|Dott|dhr|mevr|bijv",  # other languages of Europe
    r"ул|пр|просп|стр|рис|табл|гл|им|проф|акад|напр|т\.\s?е|(?<!\d\s?)г",  # Russian
    r"κ|βλ|σελ|π\.χ",  # Greek
)
# After a full stop, question or exclamation mark, and what closes a quotation.
# The marks of other scripts need no capital behind them, also among words in Latin letters.
_END = regex.compile(
    r"[.!?…]+(?:[\"')\]”’›“]*|[\s]?»)(?=\s+[\"'(\[“‘«‹„¿¡]*[\p{Lu}\p{Lt}\p{Nd}])"
    r"|[。！？｡।॥۔؟]+[\"'\p{Pe}\p{Pf}]*"
)
_PARAGRAPH = regex.compile(r"\n{2,}")
# A full stop after these ends no sentence; nor does one after a single capital, as in "J. Watt".
_ABBREVIATED = regex.compile(rf"(?<![{OF_WORD}])(?:{'|'.join(_NO_END)}|\p{{Lu}})\.$")
# Single letters one after another, as in "z. B.", "d. h.", "т. е.".
_LETTER_BEFORE = regex.compile(rf"(?<![{OF_WORD}])\p{{L}}\.$")
_LETTER_AFTER = regex.compile(r"\s*\p{L}\.")
OPENING = ("Ps", "Pi")  # categories of marks that open
LONGEST = 24  # characters before an end in which an abbreviation is looked for
_LETTER, _LATIN, _GREEK = (regex.compile(rf"\p{{{name}}}") for name in ("L", "Latin", "Greek"))
_GREEK_QUESTION = {ord(";"): "?", 0x37E: "?"}


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, in order; nothing is lost but space.

    In Latin letters a sentence ends at a mark before a capital letter or number. An empty line ends
    one in any script.
    """
    parts = (part.strip() for part in _parts(text))
    return [part for part in parts if part]


def _parts(text: str) -> Iterator[str]:
    start = 0
    for stop in (*(match.end() for match in _PARAGRAPH.finditer(text)), len(text)):
        paragraph, start = text[start:stop], stop
        begin = 0
        for end in _ends(paragraph):
            if not _is_abbreviated(paragraph, begin, end):
                yield paragraph[begin:end]
                begin = end
        yield paragraph[begin:]


def _ends(text: str) -> Iterator[int]:
    """Yield the places after which a sentence may begin."""
    if 2 * len(_LATIN.findall(text)) >= len(_LETTER.findall(text)):
        yield from (match.end() for match in _END.finditer(text))
        return
    from uniseg.sentencebreak import sentence_boundaries

    even = text.replace("\n", " ")  # a line may end within a sentence
    if 2 * len(_GREEK.findall(text)) > len(_LETTER.findall(text)):
        even = even.translate(_GREEK_QUESTION)
    for end in sentence_boundaries(even):
        while end and category(text[end - 1]) in OPENING:
            end -= 1  # Unicode counts a bracket that opens to the sentence before
        if 0 < end < len(text):
            yield end


def _is_abbreviated(text: str, begin: int, end: int) -> bool:
    before = text[max(begin, end - LONGEST) : end].rstrip()
    if _ABBREVIATED.search(before):
        return True
    return bool(_LETTER_BEFORE.search(before) and _LETTER_AFTER.match(text, end))


def split_halves(texts: pd.DataFrame) -> pd.DataFrame:
    """The texts of at least four sentences in two: id, document, copy_of, half, text.

    `texts` has the columns id, document, text, and copy_of where copies are known. The cut is the
    end of a sentence, the one nearest to the middle by characters.
    """
    rows = []
    texts = texts.assign(copy_of=names_of_copies(texts))
    for name, document, copy_of, text in texts[["id", "document", "copy_of", "text"]].to_numpy():
        sentences = split_sentences(text)
        if len(sentences) < FEWEST:
            continue
        ends = [sum(map(len, sentences[:n])) for n in range(len(sentences) + 1)]
        cut = min(range(1, len(sentences)), key=lambda n: abs(2 * ends[n] - ends[-1]))
        for half, part in enumerate((sentences[:cut], sentences[cut:]), 1):
            row = {"id": f"{name}.half{half}", "document": document, "copy_of": copy_of}
            rows.append(row | {"half": half, "text": " ".join(part)})
    return pd.DataFrame(rows, columns=["id", "document", "copy_of", "half", "text"])

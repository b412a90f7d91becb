"""Gives a command that makes a file UTF-8 and keeps its text; nothing is read by guess."""

import codecs
import re
from pathlib import Path
from shlex import quote
from unicodedata import category

from embspace.files.formats.endings import GZIP, ending_of, stem_of

# A mark of UTF-32 begins like one of UTF-16, so it comes first.
MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
# First bytes of files that hold no lines, and what is to be done with such a file.
PACKED = {
    b"\x1f\x8b": f"it is a gzip file: let its name end in {GZIP}",
    b"PK\x03\x04": "it is a zip archive, as .xlsx is: unpack it, or save the sheet as .csv",
    b"PAR1\x15": "it is a parquet file: let its name end in .parquet",
    b"ARROW1\0\0": "it is a file of Arrow: let its name end in .arrow",
    b"\x93NUMPY": "it is an array of NumPy: let its name end in .npy",
    b"\x28\xb5\x2f\xfd": "it is packed by zstd: unpack it by zstd -d",
    b"BZh91AY&SY": "it is packed by bzip2: unpack it by bunzip2",
    b"\xfd7zXZ": "it is packed by xz: unpack it by unxz",
    b"7z\xbc\xaf\x27\x1c": "it is a 7z archive: unpack it",
    b"\xd0\xcf\x11\xe0": "it is a file of an office: save it as .csv or .txt there",
    b"%PDF-": "it is a PDF: save its text as .txt",
    b"SQLite format 3\0": "it is a database of SQLite: save the table as .csv",
}
WIDE = ("UTF-32LE", "UTF-32BE", "UTF-16LE", "UTF-16BE")  # without a mark
# Of those that agree, the first; Latin-1 is none, for it takes quotes and € for control characters.
CANDIDATES = [
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258"),
    *("koi8_r", "gb18030", "big5", "cp932", "euc_jp", "cp949", "mac_roman", "cp874"),
]
NAMES = {"koi8_r": "KOI8-R", "euc_jp": "EUC-JP", "mac_roman": "MACINTOSH"}  # as `iconv` has them
WESTERN = {"Lu", "Ll", "Pi", "Pf", "Pd", "Po", "Ps", "Sc", "So"}  # categories of characters
FEW = 64  # bytes
LONGEST = 60  # characters of a line that is shown
SAMPLE = 2**20  # bytes from the first line that is no UTF-8
# Bytes of a character of two to four bytes, as UTF-8 has them.
CHARACTER = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)


def marked_wide(start: bytes) -> str:
    """Return the wide encoding that the first bytes of a file declare, else ""."""
    return next((name for mark, name in MARKS.items() if start.startswith(mark)), "")


def packed_as(start: bytes) -> str:
    """Return what to do with a packed file, by its first bytes; "" if the file may have lines."""
    return next((said for mark, said in PACKED.items() if start.startswith(mark)), "")


def advice(file: Path, content: bytes) -> str:
    """Return a command that converts a file to UTF-8, and a sample line; begins with `;`.

    `content` is the unpacked file. The encoding comes from the file's mark, or is the likeliest by
    charset-normalizer; the user decides.
    """
    if packed := packed_as(content):
        return f"; {packed}"
    if wide := marked_wide(content):
        return f"; it begins with the mark of {wide}; {_command(file, wide)}"
    if wide := unmarked_wide(content):
        return f"; it looks like {wide}; {_command(file, wide)}"
    line = _line_at(content, _first_bad(content))
    if CHARACTER.search(content.replace(line, b"")):
        return (
            "; elsewhere the file is UTF-8, so that no one encoding fits all of it: mend this line "
            "where the file was made"
        )
    name = _likely(content)
    if not name:
        return "; save it as UTF-8 where it was made"
    shown = line.decode(name, errors="replace").strip()[:LONGEST]
    known = NAMES.get(name, name.upper())
    return f"; if it is {known}, in which this line reads {shown!r}, {_command(file, known)}"


def _command(file: Path, encoding: str) -> str:
    """Return the command that writes a converted copy beside the file."""
    ending = ending_of(file.name)
    target = quote(str(file.with_name(f"{stem_of(file.name)}.utf8{ending.removesuffix(GZIP)}")))
    source = quote(str(file))
    if ending.endswith(GZIP):
        return (
            f"this makes it UTF-8:\n  gzip -dc {source} | iconv -f {encoding} -t UTF-8 > {target}"
        )
    return f"this makes it UTF-8:\n  iconv -f {encoding} -t UTF-8 {source} > {target}"


def unmarked_wide(content: bytes) -> str:
    """Return the wide encoding of a file without a mark, by its many zero bytes, else ""."""
    part = content[:4096]
    if part.count(0) < len(part) / 5:
        return ""
    # Of the wrong order or width, characters are of other scripts, none, or zero.
    texts = {name: part.decode(name, errors="replace") for name in WIDE}
    shares = [
        (sum(map(str.isascii, text)) / len(text), name)
        for name, text in texts.items()
        if "\0" not in text
    ]
    share, name = max(shares, default=(0, ""))
    return name if share else ""


def _first_bad(content: bytes) -> int:
    try:
        content.decode()
    except UnicodeDecodeError as error:
        return error.start
    return 0


def _line_at(content: bytes, place: int) -> bytes:
    start = max(content.rfind(b"\n", 0, place), content.rfind(b"\r", 0, place)) + 1
    return content[start:].split(b"\n", 1)[0].split(b"\r", 1)[0]


def _likely(content: bytes) -> str:
    """Return the Python name of the likeliest of `CANDIDATES`; "" if none decodes all bytes."""
    from charset_normalizer import from_bytes

    start = content.rfind(b"\n", 0, _first_bad(content)) + 1
    # Lines of letters that all encodings share say nothing.
    lines = [line for line in content[start : start + SAMPLE].splitlines() if not line.isascii()]
    matches = from_bytes(b"\n".join(lines), cp_isolation=CANDIDATES, preemptive_behaviour=False)
    fits = [name for name in CANDIDATES if _decodes(content, name)]
    if "cp1252" in fits and _is_western(b"".join(lines)):
        return "cp1252"
    best = [match.encoding for match in matches if match.encoding in fits]
    if not best:
        return fits[0] if fits else ""
    # The order of equals is by chance of their table, and the first candidate is the most common.
    text = content.decode(best[0])
    return next(name for name in fits if name == best[0] or content.decode(name) == text)


def _is_western(part: bytes) -> bool:
    """Return whether a few bytes among letters of ASCII are letters and marks in Windows-1252.

    So few bytes are not enough for a statistic of letters.
    """
    text = part.decode("cp1252")
    high = [character for character in text if not character.isascii()]
    n_letters = sum(map(str.isalpha, high))
    is_plausible = all(category(character) in WESTERN for character in {*high})
    return is_plausible and len(high) <= FEW and 2 * n_letters <= sum(map(str.isalpha, text))


def _decodes(content: bytes, name: str) -> bool:
    try:
        content.decode(name)
    except UnicodeDecodeError:
        return False
    return True

"""Makes analyses of one corpus, or of one file of texts, read the corpora of a tree."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from embspace.files.copies import write_changed
from embspace.settings.params import CONF
from embspace.settings.schema import read_yaml

# As settings files say it: the one corpus of an analysis of layers, the file of one of attention.
CORPUS = re.compile(r"(?m)^corpus: *([\w-]+)")
FILE = re.compile(r"(?m)^texts: *(\S+)")
EXAMPLE = re.compile(r"(?m)^example: .*$")
OF_ANY_TEXTS = ("measure/attention/head_features.yaml", "measure/attention/word_order.yaml")
READING = ("text_column", "id_column", "separator", "skip_empty")  # how a file is read
READ = "data/texts/{name}.read.jsonl"  # the texts of a file that needs such options
LONGEST_EXAMPLE = 80  # characters, so that the tokens of a map can be read


def be_about(folder: Path, corpora: Sequence[str]) -> None:
    """Let settings files in `folder` name the first of these corpora instead of unused ones.

    Settings that name one of the corpora, or its file, stay. Corpora without a file, such as those
    of the hub, are no file of texts.
    """
    for verb in ("measure", "draw"):
        for file in sorted((folder / CONF / verb).rglob("*.yaml")):
            text = file.read_text(encoding="utf-8")
            about = CORPUS.search(text)
            if about and corpora and about[1] not in corpora:
                # In quotes, for YAML reads some names as numbers.
                text = CORPUS.sub(f"corpus: {json.dumps(corpora[0])}", text)
                write_changed(file, text.encode())
    descriptions = {name: _description(folder, name) for name in corpora}
    with_file = {name: said for name, said in descriptions.items() if _has_file(folder, said)}
    if with_file:
        _read_file_of(folder, with_file)


def _description(folder: Path, corpus: str) -> dict[str, Any]:
    file = folder / CONF / "corpus" / f"{corpus}.yaml"
    return read_yaml(file) if file.is_file() else {}


def _has_file(folder: Path, described: dict[str, Any]) -> bool:
    is_file = described.get("source") in ("builtin", "file") and "path" in described
    return is_file and (folder / described["path"]).exists()


def _read_file_of(folder: Path, corpora: dict[str, dict[str, Any]]) -> None:
    """Let analyses of attention read the file of the first corpus."""
    paths = {described["path"] for described in corpora.values()}
    for file in (folder / CONF / name for name in OF_ANY_TEXTS):
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        named = FILE.search(text)
        if named and named[1] not in paths:
            name, described = next(iter(corpora.items()))
            path, example = _as_read(folder, name, described)
            text = FILE.sub(f"texts: {_quoted(path)}", text)
            text = EXAMPLE.sub(f"example: {_quoted(example)}", text)
            write_changed(file, text.encode())


def _quoted(text: str) -> str:
    """Return a string of YAML, as the replacement of a pattern."""
    return json.dumps(text, ensure_ascii=False).replace("\\", r"\\")


def corpora_by_file(folder: Path, corpora: Sequence[str]) -> dict[str, str]:
    """Return the names of corpora by the files of texts, as settings in `folder` name these."""
    named = dict[str, str]()
    for name in corpora:
        if path := _description(folder, name).get("path"):
            named |= {str(path): name, READ.format(name=name): name}
    return named


def _as_read(folder: Path, name: str, described: dict[str, Any]) -> tuple[str, str]:
    """Return the path of a corpus's texts, as a file that needs no options, and an example."""
    from embspace.files.texts import load_texts

    path = str(described["path"])
    options = {key: described[key] for key in READING if key in described}
    table = load_texts(str(folder / path), **options)
    texts = table["text"].astype(str)
    if options:
        rows = zip(table["id"].astype(str), texts, strict=True)
        lines = (json.dumps({"id": id_, "text": text}, ensure_ascii=False) for id_, text in rows)
        path = READ.format(name=name)
        write_changed(folder / path, "".join(f"{line}\n" for line in lines).encode())
    return path, example_of(texts.tolist())


def example_of(texts: Sequence[str]) -> str:
    """Return the first short text or, without any, the beginning of the first text."""
    plain = [" ".join(text.split()) for text in texts]
    short = next((text for text in plain if " " in text and len(text) <= LONGEST_EXAMPLE), None)
    if short is not None:
        return short
    beginning = plain[0][:LONGEST_EXAMPLE]
    is_cut = len(plain[0]) > LONGEST_EXAMPLE
    return beginning.rpartition(" ")[0] if is_cut and " " in beginning else beginning

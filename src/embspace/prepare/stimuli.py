"""Stage `prepare_stimuli`: sentences and words made for single analyses, checked, as tables."""

import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import AfterValidator, BaseModel, ConfigDict

from embspace.errors import InputError, within
from embspace.files.remote import read_file_or_address
from embspace.files.rows import save_rows
from embspace.files.texts import flaw_of_text, load_texts
from embspace.prepare.sources.wordnet import load_wordnet
from embspace.scripts.words import whole_word
from embspace.settings.schema import validate
from embspace.settings.stage import StageConfig, run_stage, settings_file
from embspace.settings.words import WordFile, WordNetWords, WordSource


def _without_flaw(text: str) -> str:
    if flaw := flaw_of_text(text):
        raise ValueError(flaw)
    return text


Text = Annotated[str, AfterValidator(_without_flaw)]


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    id: Text
    text: Text


class Sentence(_Row):
    """A sentence whose tokens are followed through the layers."""


class Homonym(_Row):
    """A sentence with `word` in `sense`."""

    word: Text
    sense: Text


class Synonym(_Row):
    """A sentence of a group that says one thing; `slots` are the words chosen in the frame."""

    group: Text
    kind: Literal["slots", "paraphrases", "random_characters", "random_words"]
    slots: list[int] | None


class Paraphrase(_Row):
    """One of several sentences with the same `meaning` in different words."""

    meaning: Text


class Control(_Row):
    """A sentence, or its counterpart with like words and another meaning."""

    pair: Text
    kind: Literal["negation", "swapped_roles"]
    side: Literal["original", "changed"]


class Difference(_Row):
    """A side of a minimal pair; the sides differ in `category`."""

    category: Text
    pair: Text
    side: Literal["first", "second"]


class Word(_Row):
    """A word alone; forms of the same lemma go into the same fold."""

    word: Text
    lemma: Text
    part_of_speech: Literal["noun", "verb", "adjective"]


def prepare_stimuli(
    *,
    evolution: str,
    homonyms: str,
    synonyms: str,
    paraphrases: str,
    controls: str,
    differences: str,
    words: WordSource,
) -> dict[str, pd.DataFrame]:
    """Return the tables of all sets, read from these files; a row per sentence or word.

    Raises:
        InputError: naming the file, the row or line and the key, if something does not fit.
    """
    tables = {
        "evolution": _read(evolution, Sentence),
        "homonyms": _read(homonyms, Homonym),
        "synonyms": _read(synonyms, Synonym),
        "paraphrases": _read(paraphrases, Paraphrase),
        "controls": _read(controls, Control),
        "differences": _read_differences(differences),
        "words": _read_words(words),
    }
    _check_words_occur(tables["homonyms"], homonyms)
    _check_pairs(tables["differences"], ["category", "pair"], ("first", "second"), differences)
    _check_pairs(tables["controls"], ["kind", "pair"], ("original", "changed"), controls)
    return tables


def _read(path: str, schema: type[_Row]) -> pd.DataFrame:
    text_column = "word" if schema is Word else "text"
    return _checked(load_texts(path, text_column).to_dict(orient="records"), path, schema)


def _read_words(words: WordFile | WordNetWords) -> pd.DataFrame:
    if isinstance(words, WordFile):
        table = _read(words.path, Word)
    else:
        with within(str(settings_file(prepare_stimuli))):
            table = load_wordnet(words)
        table.insert(1, "text", table["word"])
    return table.assign(source=words.source)


def _checked(rows: list[dict[Any, Any]], path: str, schema: type[_Row]) -> pd.DataFrame:
    for row in rows:
        validate(schema, row, f"{path}, '{row['id']}'")
    return pd.DataFrame(rows, columns=list(schema.model_fields))


def _read_differences(path: str) -> pd.DataFrame:
    if not path.endswith(".json"):
        return _read(path, Difference)
    try:
        content = json.loads(read_file_or_address(path))
    except (ValueError, RecursionError) as error:  # not JSON, not UTF-8, nested without end
        raise InputError(f"{path}: is no JSON: {error}") from None
    rows = list(_pairs_by_category(content, path))
    if not rows:
        raise InputError(f"{path}: holds no pairs")
    return _checked(rows, path, Difference)


def _pairs_by_category(content: Any, path: str) -> Iterator[dict[Any, Any]]:
    """Yield the rows of {category: [[first, second], ...]}, less categories that reverse others."""
    if not isinstance(content, dict):
        raise InputError(f"{path}: expected {{category: [[first, second], ...]}}")
    for number, (category, pairs) in enumerate(content.items()):
        reverse = "-".join(reversed(str(category).split("-")))
        if reverse in list(content)[:number]:
            continue
        if pairs == []:
            raise InputError(f"{path}: '{category}': found no pair, expected at least one")
        for pair, sides in enumerate(pairs if isinstance(pairs, list) else [pairs], 1):
            if not (isinstance(sides, list) and len(sides) == 2):
                raise InputError(f"{path}: '{category}', pair {pair}: expected two texts")
            for side, text in zip(("first", "second"), sides, strict=True):
                name = f"{category}_{pair:02d}"
                row = {"category": category, "pair": name, "side": side, "text": text}
                yield {"id": f"{name}_{side}", **row}


def _check_words_occur(table: pd.DataFrame, path: str) -> None:
    for name, word, text in table[["id", "word", "text"]].to_numpy():
        n = len(whole_word(word).findall(text))
        if n != 1:
            raise InputError(
                f"{path}, '{name}': the word '{word}' stands {n} times in the text, expected once"
            )


def _check_pairs(table: pd.DataFrame, keys: list[str], sides: tuple[str, str], path: str) -> None:
    for key, rows in table.groupby(keys, sort=False):
        if sorted(rows["side"]) != sorted(sides):
            raise InputError(
                f"{path}, pair {key}: found the sides {', '.join(rows['side'])}, expected each of "
                f"{', '.join(sides)} once"
            )


def main(config: StageConfig) -> None:
    """Load, call, save."""
    for name, table in prepare_stimuli(**config.settings).items():
        save_rows(table, f"data/prepared/stimuli/{name}.parquet")


if __name__ == "__main__":
    run_stage(main, prepare_stimuli, groups=())

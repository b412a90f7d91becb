import json
import re
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pytest

from embspace.errors import InputError
from embspace.prepare.stimuli import prepare_stimuli
from embspace.settings.schema import read_yaml
from embspace.settings.stage import checked_settings
from embspace.settings.words import WordFile, WordNetWords
from tests.loopback import Answer, closed_address, serving
from tests.prepare.sources.test_wordnet import write_wordnet

DIFFERENCES = "data/stimuli/differences.jsonl"
SYNONYMS = "data/stimuli/synonyms.jsonl"
KINDS = ["female-male", "green-brown", "bright-dim", "finnish-czech", "funny-sad", "doctor-nurse"]
KINDS += ["laugh-cry", "present-past", "warm-cold", "singular-plural"]
Rows = list[dict[str, Any]]
CONTROL: dict[str, Any] = {"pair": "n1", "kind": "negation"}
SIDE: dict[str, Any] = {"pair": "p1", "category": "old-new"}
SETS: dict[str, Rows] = {
    "evolution": [{"id": "e1", "text": "A cat sat."}],
    "homonyms": [{"id": "h1", "word": "bank", "sense": "shore", "text": "On the Bank, not banks."}],
    "synonyms": [
        {"id": "s1", "group": "g", "kind": "slots", "slots": [0, 1], "text": "A."},
        {"id": "s2", "group": "g", "kind": "random_words", "slots": None, "text": "B."},
    ],
    "paraphrases": [{"id": "p1", "meaning": "m", "text": "A."}],
    "controls": [
        {"id": "c1", **CONTROL, "side": "original", "text": "It is."},
        {"id": "c2", **CONTROL, "side": "changed", "text": "It is not."},
    ],
    "differences": [
        {"id": "d1", **SIDE, "side": "first", "text": "An old house."},
        {"id": "d2", **SIDE, "side": "second", "text": "A new house."},
    ],
    "words": [{"id": "w1", "word": "nan", "lemma": "nan", "part_of_speech": "noun"}],
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The settings: the path of each set."""
    monkeypatch.chdir(tmp_path)
    for name, rows in SETS.items():
        write(name, rows)
    words = WordFile(source="file", path="words.jsonl")
    return {name: f"{name}.jsonl" for name in SETS} | {"words": words}


def write(name: str, rows: Rows) -> None:
    Path(f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def test_all_sets_come_as_tables_of_their_own_columns(files: dict[str, Any]):
    tables = prepare_stimuli(**files)
    assert list(tables) == list(SETS)
    assert list(tables["differences"]) == ["id", "text", "category", "pair", "side"]
    assert tables["differences"]["side"].tolist() == ["first", "second"]
    assert tables["synonyms"]["slots"].tolist() == [[0, 1], None]
    assert tables["words"]["text"].tolist() == ["nan"]
    assert tables["words"]["source"].tolist() == ["file"]


def test_the_sets_that_come_with_embspace_fit(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    file = "conf/prepare/stimuli.yaml"
    tables = prepare_stimuli(**checked_settings(prepare_stimuli, read_yaml(Path(file)), {}, file))
    assert all(len(table) for table in tables.values())


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("evolution", {"mood": "glad"}, r"evolution\.jsonl, 'e1': key 'mood' is unknown; allowed"),
        ("evolution", {"text": " "}, r"evolution\.jsonl, line 1: the text 'e1' is empty"),
        ("homonyms", {"sense": None}, r"homonyms\.jsonl, 'h1': key 'sense': .*, found None"),
        ("homonyms", {"sense": ""}, "'h1': key 'sense': is empty, found ''"),
        ("homonyms", {"sense": "a\0"}, "'h1': key 'sense': holds a NUL character"),
        ("homonyms", {"word": "ban"}, "'h1': the word 'ban' stands 0 times in the text, expected"),
        ("homonyms", {"text": "Bank to bank."}, "'h1': the word 'bank' stands 2 times in the text"),
        ("synonyms", {"kind": "slot"}, r"synonyms\.jsonl, 's1': key 'kind': .*found 'slot'"),
        ("synonyms", {"slots": ["x"]}, r"'s1': key 'slots\.0': .*found 'x'"),
        ("paraphrases", {"meaning": 3}, r"paraphrases\.jsonl, 'p1': key 'meaning': .*found 3"),
        ("controls", {"kind": "swapped_roles"}, r"controls\.jsonl, pair .*'n1'.*: found the sides"),
        ("controls", {"side": "changed"}, "sides changed, changed, expected each of original"),
        ("controls", {"side": "first"}, "'c1': key 'side': .*'changed', found 'first'"),
        ("differences", {"pair": "p2"}, r"differences\.jsonl, pair .*'p2'.*: found the side"),
        ("differences", {"side": "second"}, "found the sides second, second, expected each of"),
        ("differences", {"side": "third"}, "'d1': key 'side': .*found 'third'"),
        ("words", {"part_of_speech": "adverb"}, r"words\.jsonl, 'w1': key 'part_of_speech': "),
        ("words", {"lemma": ""}, "'w1': key 'lemma'"),
    ],
)
def test_what_does_not_fit_is_named(
    files: dict[str, Any], name: str, change: dict[str, Any], message: str
):
    first, *others = SETS[name]
    write(name, [{**first, **change}, *others])
    with pytest.raises(InputError, match=message):
        prepare_stimuli(**files)


@pytest.mark.parametrize("name", SETS)
def test_a_missing_key_and_a_missing_file_are_named(files: dict[str, Any], name: str):
    first, *others = SETS[name]
    key = {"evolution": "text", "words": "word"}.get(name) or list(first)[1]
    write(name, [{column: first[column] for column in first if column != key}, *others])
    with pytest.raises(InputError, match=rf"{name}\.jsonl.*'{key}'"):
        prepare_stimuli(**files)
    Path(f"{name}.jsonl").unlink()
    with pytest.raises(InputError, match=rf"{name}\.jsonl: not found"):
        prepare_stimuli(**files)


# Figure 23 of Luisto's thesis, page 75.
HAPPY_BOSS = re.compile(
    r"The (boss|manager|supervisor) was (glad|happy|content) with the (employee|worker|staff)"
    r" for the new sales record\."
)


def test_the_frame_of_figure_23_that_is_complete_in_the_thesis_is_among_the_synonyms(root: Path):
    rows = [json.loads(line) for line in (root / SYNONYMS).read_text("utf-8").splitlines()]
    rows = [row for row in rows if row["group"] == "boss"]
    matches = [HAPPY_BOSS.fullmatch(row["text"]) for row in rows]
    assert all(matches)
    words = [match.groups() for match in matches if match]
    assert len(set(words)) == 27
    choices = [list(dict.fromkeys(slot)) for slot in zip(*words, strict=True)]
    assert [
        [choices[at].index(word) for at, word in enumerate(sentence)] for sentence in words
    ] == [row["slots"] for row in rows]
    assert {row["kind"] for row in rows} == {"slots"}


# The pairs of other authors: {category: [[first, second], ...]}, here or at an address.

PAIRS = {
    "old-new": [["An old house.", "A new house."], ["Old tea.", "New tea."]],
    "new-old": [["A new house.", "An old house."], ["New tea.", "Old tea."]],
    "cat-dog": [["A cat.", "A dog."]],
}


@pytest.mark.parametrize("by_network", [True, False])
def test_pairs_by_category_come_once_less_the_reversed(files: dict[str, Any], by_network: bool):
    content = json.dumps(PAIRS).encode()
    Path("pairs.json").write_bytes(content)
    with serving(lambda request: Answer(content)) as server:
        path = f"{server.address}/pairs.json" if by_network else "pairs.json"
        table = prepare_stimuli(**{**files, "differences": path})["differences"]
    assert table["text"].tolist() == [
        text for category in ("old-new", "cat-dog") for pair in PAIRS[category] for text in pair
    ]
    assert table["category"].tolist() == ["old-new"] * 4 + ["cat-dog"] * 2
    assert table["pair"].nunique() == 3
    assert table["side"].tolist() == ["first", "second"] * 3
    assert table["id"].is_unique


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "is no JSON"),
        (b"\xff", "is no JSON"),
        (b"[" * 100_000, "is no JSON"),
        (b"[]", "expected {category: "),
        (b"{}", "holds no pairs"),
        (b'{"c-d": [["A.", "B."]], "a-b": []}', "'a-b': found no pair, expected at least one"),
        (b'{"a-b": [["A.", "B\\u0000"]]}', "'a-b_01_second': key 'text': holds a NUL character"),
        (b'{"a-b": [["A.", "\\ud800"]]}', "'a-b_01_second': key 'text'"),
        (b'{"a-b": [["A."]]}', "'a-b', pair 1: expected two texts"),
        (b'{"a-b": [["A.", "B."], "C."]}', "'a-b', pair 2: expected two texts"),
        (b'{"a-b": "A."}', "'a-b', pair 1: expected two texts"),
        (b'{"a-b": [["A.", 2]]}', "'a-b_01_second': key 'text': .*found 2"),
        (b'{"a-b": [["A.", ""]]}', "'a-b_01_second': key 'text'"),
    ],
)
def test_pairs_of_another_form_are_named(files: dict[str, Any], content: bytes, message: str):
    Path("pairs.json").write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        prepare_stimuli(**{**files, "differences": "pairs.json"})
    assert str(caught.value).startswith("pairs.json")


def test_an_address_out_of_reach_is_named(files: dict[str, Any], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("embspace.files.remote.time.sleep", lambda seconds: None)
    path = f"{closed_address()}/pairs.json"
    with pytest.raises(InputError, match=rf"{path}: cannot be read: .*refused; without a network"):
        prepare_stimuli(**{**files, "differences": path})


def test_words_of_wordnet_come_with_the_same_columns(files: dict[str, Any]):
    write_wordnet(Path("dict"))
    from_file = prepare_stimuli(**files)["words"]
    words = WordNetWords(source="wordnet", folder="dict", n_words=2, seed=0)
    table = prepare_stimuli(**{**files, "words": words})["words"]
    assert list(table) == list(from_file)
    assert (table["text"] == table["word"]).all()
    assert set(table["source"]) == {"wordnet"}


def test_the_key_of_a_folder_without_wordnet_is_named(files: dict[str, Any]):
    words = WordNetWords(source="wordnet", folder="none", n_words=2, seed=0)
    with pytest.raises(InputError) as caught:
        prepare_stimuli(**{**files, "words": words})
    assert str(caught.value).startswith(
        "conf/prepare/stimuli.yaml: key 'words.folder': none: found no data.noun, data.verb, data.a"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"source": "wordnt"}, "key 'words'.*'file', 'wordnet'"),
        ({"source": "wordnet", "folder": "dict", "seed": 0}, "key 'words.n_words' is missing"),
        ({"source": "file", "path": "x.jsonl", "seed": 0}, "'words.seed' is unknown; allowed"),
        (
            {"source": "wordnet", "folder": "dict", "n_words": 0, "seed": 0},
            "key 'words.n_words': .*greater than or equal to 1, found 0",
        ),
    ],
)
def test_a_wrong_description_of_words_is_named(
    files: dict[str, Any], words: dict[str, Any], message: str
):
    with pytest.raises(InputError, match=message):
        checked_settings(prepare_stimuli, {**files, "words": words}, {}, "stimuli.yaml")


MOST_OF_ONE = 3  # of the 14 pairs of a kind
STEM = 4  # letters, by which laugh and laughing, sob and sobbing are one


def changed_words(first: str, second: str) -> list[tuple[str, str]]:
    """What stands in the one sentence where the other has something else, by the words' stems."""
    words = [re.findall(r"[\w-]+", text.lower()) for text in (first, second)]
    matcher = SequenceMatcher(None, *words, autojunk=False)
    return [
        tuple(" ".join(word[:STEM] for word in part) for part in (words[0][a:b], words[1][c:d]))
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def test_changed_words_by_hand():
    assert changed_words("We laughed, Tom.", "We wept, Tom.") == [("laug", "wept")]
    assert changed_words("Laughing helps.", "Weeping helps.") == [("laug", "weep")]
    assert changed_words("She hurt herself.", "He hurt himself.") == [
        ("she", "he"),
        ("hers", "hims"),
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_no_pair_of_words_carries_a_kind_of_difference(kind: str, root: Path):
    rows = [json.loads(line) for line in (root / DIFFERENCES).read_text("utf-8").splitlines()]
    assert {row["category"] for row in rows} == set(KINDS)
    texts = {(row["pair"], row["side"]): row["text"] for row in rows if row["category"] == kind}
    pairs = sorted({pair for pair, _ in texts})
    changes = Counter(
        change
        for pair in pairs
        for change in set(changed_words(texts[pair, "first"], texts[pair, "second"]))
    )
    assert len(pairs) == 14
    assert {change: n for change, n in changes.items() if n > MOST_OF_ONE} == {}

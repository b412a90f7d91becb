"""Two models are compared once, in a tree of their own, on the page that the command names."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from embspace.app.reporting import pairs
from embspace.app.reporting.costs import Size
from embspace.app.reporting.pairs import NOUNS, ComparedModels, describe_pair, write_comparison
from embspace.app.reporting.subject import Subject
from embspace.app.working_tree import OwnTexts
from embspace.errors import InputError
from embspace.settings.pipeline import read_stages
from tests.app.page.trees import write_tree

ALL_GIVEN = {"allow_unused": ["x*"], "tokenizer": {"source": "path", "path": "/tokenizer"}}
OWN = OwnTexts("my_texts", "my.csv", ".csv", b"text\na cat\n")


def subject(model: str, **described: Any) -> Subject:
    return Subject(model, ["my_texts"], OWN, described or None)


@pytest.fixture
def given() -> dict[str, Any]:
    """Return what `describe_subject` was given by model, to be filled."""
    return {}


@pytest.fixture
def models(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, given: dict[str, Any]
) -> dict[str, Subject]:
    """Return the models that `describe_subject` knows, to be filled."""
    write_tree(tmp_path)
    monkeypatch.chdir(tmp_path)
    known: dict[str, Subject] = {"a": subject("a"), "b": subject("b")}

    def describe(name: str, *_: Any, **options: Any) -> Subject:
        given[name] = options["given"]
        return known[name]

    monkeypatch.setattr(pairs, "describe_subject", describe)
    return known


@pytest.mark.usefixtures("models")
def test_a_pair_is_named_by_its_models_and_texts():
    pair = describe_pair("a", "b", ["my.csv"], print)
    assert pair.key == "a--b"
    assert pair.name == f"a--b--my_texts-{OWN.digest}"


def test_one_model_is_no_pair(models: dict[str, Subject]):
    models["one"] = subject("one-1", sha256={"config.json": "0"})
    models["copy"] = subject("copy-1", sha256={"config.json": "0"})
    models["other"] = subject("other-1", sha256={"config.json": "1"})
    for first, second in (("a", "a"), ("one", "one"), ("one", "copy")):
        with pytest.raises(InputError, match=f"found {first} and {second}, one model"):
            describe_pair(first, second, None, print)
    assert describe_pair("one", "other", None, print).key == "one-1--other-1"


def test_vectors_without_a_model_are_refused(models: dict[str, Subject]):
    models["vectors"] = subject("vectors-1", source="vectors")
    for names in (("a", "vectors"), ("vectors", "a")):
        with pytest.raises(InputError, match="vectors: is vectors without a model"):
            describe_pair(*names, None, print)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("a", "folder"), (None, ALL_GIVEN)),
        (("folder", "a"), (ALL_GIVEN, None)),
        (("folder", "me/repository"), (ALL_GIVEN, {"allow_unused": ["x*"]})),
        (("me/repository", "a"), (ALL_GIVEN, None)),
        (("a", "b"), (ALL_GIVEN, ALL_GIVEN)),  # refused by what describes them
    ],
)
def test_what_is_given_is_of_the_model_that_conf_does_not_describe(
    given: dict[str, Any], models: dict[str, Subject], words: tuple[str, str], expected: Any
):
    Path("folder").mkdir()
    for word in ("folder", "me/repository"):
        models[word] = subject(f"{Path(word).name}-1", label=word)
    describe_pair(*words, None, print, given=ALL_GIVEN)
    assert tuple(given[word] for word in words) == expected


def test_one_tokenizer_is_not_of_two_folders(models: dict[str, Subject]):
    for word in ("one", "other"):
        Path(word).mkdir()
        models[word] = subject(f"{word}-1", label=word)
    with pytest.raises(InputError, match="--tokenizer: found for two folders, one and other"):
        describe_pair("one", "other", None, print, given=ALL_GIVEN)
    assert describe_pair("one", "other", None, print, given={"allow_unused": ["x*"]})


def test_two_folders_of_one_name_are_told_apart(models: dict[str, Subject]):
    models["x/mine"] = subject("mine-01234567", label="mine")
    models["y/mine"] = subject("mine-89abcdef", label="mine")
    models["z/other"] = subject("other-89abcdef", label="other")
    pair = describe_pair("x/mine", "y/mine", None, print)
    labels = [side.described and side.described["label"] for side in pair]
    assert labels == ["mine-01234567", "mine-89abcdef"]
    pair = describe_pair("x/mine", "z/other", None, print)
    assert [side.described and side.described["label"] for side in pair] == ["mine", "other"]


def test_the_cost_is_that_of_the_larger_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(pairs, "size_of", lambda _, model, *__: Size({"a": 1, "b": 9}[model], 5, 1))
    for names in (("a", "b"), ("b", "a")):
        assert pairs._size(tmp_path, ComparedModels(*map(subject, names))) == Size(9, 5, 1)


@pytest.mark.parametrize("with_measures", [True, False])
def test_each_table_is_computed_drawn_and_put_on_a_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, root: Path, *, with_measures: bool
):
    passed_on: dict[str, Any] = {"drawn": []}
    tree = write_tree(tmp_path / "tree")
    compared = read_stages(root)

    class Tree:
        root, folder = tmp_path, tree

        @contextmanager
        def locked(self) -> Iterator[None]:
            yield

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pairs, "_open_tree", lambda *_: Tree())
    monkeypatch.setattr(pairs, "share_drawings", lambda *_: None)
    monkeypatch.setattr("embspace.app.reporting.parts.read_stages", lambda _: compared)
    monkeypatch.setattr(
        pairs, "_run", lambda tree, pair, targets, *_: passed_on.update(targets=targets)
    )
    monkeypatch.setattr(
        pairs, "draw_analysis", lambda _, analysis, name: passed_on["drawn"].append(analysis.noun)
    )
    reason = tree / "results/model_parameter_alignment/a--b.csv"
    reason.parent.mkdir(parents=True)
    reason.write_text("group,reason\n,no tokens in common\n")
    measures = tree / "results/measures/a--b.csv"
    measures.parent.mkdir(parents=True)
    measures.write_text("group,reason\n,of another time\n")
    said = list[str]()
    pair = ComparedModels(subject("a"), subject("b"))
    page = write_comparison(pair, said.append, with_measures=with_measures)
    wanted = [noun for noun in NOUNS if with_measures or noun != "measures"]
    assert passed_on["drawn"] == wanted
    assert passed_on["targets"] == [f"pipeline/compare/dvc.yaml:compare_{n}@a--b" for n in wanted]
    later = ["measures: of another time"] * with_measures
    assert said == ["model_parameter_alignment: no tokens in common", *later]
    assert page == Path(f"reports/{pair.name}/index.html")
    text = (tmp_path / page).read_text(encoding="utf-8")
    assert "As <code>embspace compare</code> has computed it" in text
    assert (tmp_path / page.parent / "results/alike/a--b.csv").is_file()


def test_all_that_compares_two_models_is_asked_for(root: Path):
    stages = [name for name in read_stages(root) if name.startswith("compare_")]
    pair_nouns = {n.partition("_")[2] for n in stages if "pair" in str(read_stages(root)[n].entry)}
    assert pair_nouns == {*NOUNS}
    assert all(f"compare_{noun}" in stages for noun in NOUNS)

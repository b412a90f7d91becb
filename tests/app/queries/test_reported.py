"""Names lead to the tree that has a model's results, and what lacks is said as it is."""

import os
import shutil
from pathlib import Path

import pytest
import yaml

from embspace.app.queries.reported import place_of, why_not_there
from embspace.errors import InputError
from tests.verify.tree import put

NAME = "mine-01234567"


def make_tree(folder: Path, model: str, **described: str) -> Path:
    put(str(folder / "params.yaml"), f"models: [{model}]\n")
    put(str(folder / f"conf/model/{model}.yaml"), yaml.safe_dump({"label": model, **described}))
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_tree(tmp_path, "listed")
    put(str(tmp_path / "conf/model/spare.yaml"), "label: spare\n")
    (tmp_path / "models/mine").mkdir(parents=True)
    (tmp_path / "models/other").mkdir()
    return tmp_path


@pytest.fixture
def trees(root: Path) -> tuple[Path, Path]:
    """The trees of two reports of one model, of which the second is older."""
    about = {"source": "path", "path": str(root / "models/mine")}
    made = [
        make_tree(root / f".cache/trees/{NAME}{end}", NAME, **about)
        for end in ("", "--my-89abcdef")
    ]
    os.utime(made[1], (1, 1))
    return made[0], made[1]


def test_a_model_of_params_is_in_the_users_tree(root: Path):
    make_tree(root / ".cache/trees/listed", "listed")
    assert place_of("listed", root, root) == (root, "listed")


@pytest.mark.parametrize(
    "place", [NAME, "models/mine", f"reports/{NAME}", f"reports/{NAME}+layers"]
)
def test_a_report_is_found_by_name_and_folder(root: Path, trees: tuple[Path, Path], place: str):
    assert place_of(place, root, root) == (trees[0], NAME)


def test_a_report_of_texts_is_found_by_its_name(root: Path, trees: tuple[Path, Path]):
    assert place_of(f"{NAME}--my-89abcdef", root, root) == (trees[1], NAME)
    assert place_of("mine", root, root / "models") == (trees[0], NAME)


def test_two_models_that_were_compared_are_found_by_the_name_of_their_page(root: Path):
    report = make_tree(root / ".cache/trees/spare", "spare")
    tree = make_tree(root / ".cache/trees/spare--listed+pair", "spare, listed")
    pair = "spare--listed"
    put(str(tree / "params.yaml"), f"models: [spare, listed]\ncompared: {{{pair}: {{}}}}\n")
    assert place_of(pair, root, root) == place_of(f"reports/{pair}", root, root) == (tree, pair)
    assert place_of("spare", root, root) == (report, "spare")  # and not the newer tree of two
    own = make_tree(root / ".cache/trees/spare--listed--my-89abcdef+pair", "spare, listed")
    shutil.copy(tree / "params.yaml", own)
    assert place_of(f"reports/{pair}--my-89abcdef", root, root) == (own, pair)
    assert place_of(pair, root, root) == (tree, pair)
    shutil.rmtree(tree)
    assert place_of(pair, root, root) == (own, pair)


def test_a_pair_of_params_is_in_the_users_tree(root: Path, monkeypatch: pytest.MonkeyPatch):
    pair = "spare--listed"
    put(str(root / "params.yaml"), f"models: [listed]\ncompared: {{{pair}: {{}}}}\n")
    trees = [root / f".cache/trees/{pair}{end}+pair" for end in ("", "--my-89abcdef")]
    for tree in trees:
        put(str(tree / "params.yaml"), f"models: [spare, listed]\ncompared: {{{pair}: {{}}}}\n")
    assert place_of(pair, root, root) == (root, pair)
    assert place_of(f"reports/{pair}--my-89abcdef", root, root) == (trees[1], pair)
    monkeypatch.setattr("embspace.app.queries.reported.is_home", lambda _: True)
    assert place_of(pair, root, root, for_results=True) == (trees[0], pair)


def test_a_model_that_params_does_not_list_is_in_its_report(root: Path):
    assert place_of("spare", root, root) == (root, "spare")
    tree = make_tree(root / ".cache/trees/spare", "spare")
    assert place_of("spare", root, root) == (tree, "spare")


def test_the_study_in_the_cache_has_what_reports_have_made(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("embspace.app.queries.reported.is_home", lambda _: True)
    assert place_of("listed", root, root, for_results=True) == (root, "listed")
    tree = make_tree(root / ".cache/trees/listed", "listed")
    assert place_of("listed", root, root, for_results=True) == (tree, "listed")
    assert place_of("listed", root, root) == (
        root,
        "listed",
    )  # for settings
    monkeypatch.chdir(root)
    assert "embspace report listed" in why_not_there("listed")


def test_a_folder_without_a_report_is_told_how_to_make_one(root: Path):
    with pytest.raises(InputError, match=r"no report was made .*\n  embspace report models/other"):
        place_of("models/other", root, root)
    assert place_of("nobody", root, root) == (root, "nobody")


def test_what_lacks_is_said_as_it_is(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    assert why_not_there("listed") == ""
    assert "not listed under `models` in params.yaml" in why_not_there("spare")
    assert why_not_there("spare").endswith("\n  embspace report spare")
    assert "'spere' is no model; did you mean 'spare'?" in why_not_there("spere")


def test_what_a_report_lacks_is_made_by_a_report(
    trees: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(trees[0])
    assert "the `embspace report` that began it goes on" in why_not_there(NAME)


@pytest.mark.parametrize("place", ["", " ", "~nobody_is_called_so"])
def test_what_names_nothing_is_no_folder(root: Path, place: str):
    with pytest.raises(InputError, match=f"found '{place}'"):
        place_of(place, root, root)


@pytest.mark.parametrize("options", ["+attention", "+layers+no-maps", "+all"])
def test_a_reports_options_lead_to_its_one_tree(root: Path, trees: tuple[Path, Path], options: str):
    for place, here in ((f"{NAME}{options}", root), (f"{NAME}{options}", root / "reports")):
        assert place_of(place, root, here) == (trees[0], NAME)

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pytest
import yaml

from embspace.measure.compare.ledger import SOURCES, measure_ledger
from embspace.published.sources import Source, read_source, read_sources
from embspace.published.subjects import Subject, read_subject
from embspace.published.untrained import ALSO_UNTRAINED, HOLDS

SOURCE = """
source: a thesis
protocol: theirs
decided: {when: after results, why: committed together}
entries:
  - {quantity: norms, section: "4.2", page: 55, model: maker/bert, file: "results/x/{model}.csv",
     where: {space: input}, published: {mean: "1.50", maximum: "2.0"}}
  - {quantity: weights, model: any, file: "results/y/{model}.json", published: {n: "768"}}
claims:
  - {claim: norms are above one, section: "4.2", page: 56, question: "1", statistic: smallest norm,
     cell: {file: "results/x/{model}.csv", where: {space: input}, value: minimum, exact: true},
     holds_if: value > 1}
undecided:
  - {quantity: values of a matrix, section: "4.2", page: 55, verdict: error in the source,
      published: 3M,
     correct: "22,268,928", reason: a factor of ten}
  - {quantity: table 1, section: "3.2", page: 36, verdict: lost in the source, reason: no values}
"""

PROBED_WORDS = (
    "conf/prepare/stimuli.yaml says how to take them; the author's sample is not published"
)


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_results(tmp_path)
    return Path("results")


def write_results(root: Path) -> None:
    for folder in ("x", "y"):
        (root / "results" / folder).mkdir(parents=True)
    for model, row in (("bert", "1.503,2.2,0.9"), ("small", "3.0,4.0,1.1")):
        table = f"space,mean,maximum,minimum\ninput,{row}\n"
        (root / f"results/x/{model}.csv").write_text(table)
        (root / f"results/y/{model}.json").write_text('{"n": 768}')


def subject(model: str) -> Subject:
    return Subject(model, f"maker/{model}")


def ledger(model: str, results: Path) -> pd.DataFrame:
    source = Source.model_validate(yaml.safe_load(SOURCE))
    return measure_ledger([source], subject(model), results, (), None, roles={})["csv"].set_index(
        "statement"
    )


@cache
def tree() -> TemporaryDirectory[str]:
    """Return a folder with results of two models."""
    folder = TemporaryDirectory()
    write_results(Path(folder.name))
    return folder


def inputs(*, is_empty: bool = False) -> dict[str, Any]:
    """Return a publication with a claim that two rules decide; if empty, of no results."""
    content = yaml.safe_load(SOURCE)
    (claim,) = content["claims"]
    claim["otherwise"] = [{"cell": claim["cell"], "holds_if": "value > 0.5", "why": "a half"}]
    results = Path(tree().name, "nothing" if is_empty else "results")
    return {
        "sources": [Source.model_validate(content)][: 0 if is_empty else 1],
        "model": subject("bert"),
        "results": results,
        "corpora": (),
        "untrained": None,
    }


def test_numbers_of_the_model_match_or_differ(results: Path):
    table = ledger("bert", results)
    assert table.loc["norms: mean", "verdict"] == "matches"
    assert table.loc["norms: maximum", "verdict"] == "differs"
    assert table.loc["norms: maximum", "value"] == 2.2
    assert table.loc["norms are above one", "verdict"] == "differs"


def test_what_only_says_our_own_design_again_is_no_match(results: Path):
    content = yaml.safe_load(SOURCE)
    content["entries"][1]["restates"] = "n in conf/measure/y.yaml"
    source = Source.model_validate(content)
    table = measure_ledger([source], subject("bert"), results, (), None, roles={})["csv"]
    row = table.set_index("statement").loc["weights: n"]
    assert (row["verdict"], row["reason"]) == ("restated", "n in conf/measure/y.yaml")
    assert sorted(table[table["kind"] == "number"]["verdict"]) == ["differs", "matches", "restated"]
    Path("results/y/bert.json").write_text('{"n": 769}')
    table = measure_ledger([source], subject("bert"), results, (), None, roles={})["csv"]
    assert table.set_index("statement").loc["weights: n", "verdict"] == "differs"


def test_our_own_sentences_and_configs_are_restated(root: Path):
    entries = read_source(root / "data/published/luisto_thesis.yaml").entries
    restated = [entry for entry in entries if entry.restates]
    assert sum(len(entry.published) for entry in restated) == 3 + 8 + 1
    assert {entry.quantity for entry in entries if "results/synonyms" in entry.file} <= {
        entry.quantity for entry in restated
    }


def test_another_model_has_values_but_no_verdict_on_numbers(results: Path):
    table = ledger("small", results)
    number = table.loc["norms: mean"]
    assert (number["value"], number["verdict"], number["reason"]) == (
        3.0,
        "not checkable",
        "is about maker/bert",
    )
    assert table.loc["weights: n", "verdict"] == "matches"  # needs no weights
    assert table.loc["norms are above one", "verdict"] == "matches"  # a claim is for any model
    assert table.loc["norms are above one", "question"] == "1"


def test_a_claim_about_another_model_waits_for_it(results: Path):
    content = yaml.safe_load(SOURCE)
    content["claims"][0]["model"] = "maker/bert"
    source = Source.model_validate(content)
    rows = {
        model: measure_ledger([source], subject(model), results, (), None, roles={})["csv"]
        .set_index("kind")
        .loc["claim"]
        for model in ("bert", "small")
    }
    assert rows["bert"]["verdict"] == "differs"
    row = rows["small"]
    assert (row["value"], row["verdict"], row["reason"]) == (
        1.1,
        "not checkable",
        "waits for maker/bert",
    )


def test_the_models_of_claims_are_named_as_those_of_numbers(root: Path):
    source = read_source(root / "data/published/luisto_thesis.yaml")
    models = {entry.model for entry in source.entries}
    assert {claim.model for claim in source.claims} == {
        "any",
        "google-bert/bert-base-cased",
        "TurkuNLP/bert-base-finnish-cased-v1",
    }
    assert {claim.model for claim in source.claims} <= models


def test_a_row_says_its_source_what_it_rests_on_and_when_its_rule_was_fixed(results: Path):
    row = ledger("bert", results).loc["norms are above one"]
    assert (row["source"], row["rests_on"]) == ("a thesis", "exact")
    assert (row["decided"], row["decided_because"]) == ("after results", "committed together")


def test_every_source_that_says_something_of_models_is_in_the_ledger(root: Path):
    sources = {file: read_source(file) for file in (root / "data/published").glob("*.yaml")}
    on_models = [
        file
        for file, source in sources.items()
        if source.entries
        or source.claims
        or source.claims_on_layers
        or (source.undecided and not source.claims_on_runs)
    ]
    assert sorted(SOURCES) == sorted(str(file.relative_to(root)) for file in on_models)


def test_all_sources_are_read_one_after_another(results: Path):
    first = Source.model_validate(yaml.safe_load(SOURCE))
    second = first.model_copy(update={"source": "a paper"})
    table = measure_ledger([first, second], subject("bert"), results, (), None, roles={})["csv"]
    assert list(table["source"].drop_duplicates()) == ["a thesis", "a paper"]
    assert list(table["row"]) == list(range(1, len(table) + 1))
    assert list(table.columns[:3]) == ["row", "source", "kind"]


def test_slips_and_what_is_lost_stand_there(results: Path):
    table = ledger("small", results)
    assert table.loc["values of a matrix", "verdict"] == "error in the source"
    assert table.loc["values of a matrix", "value"] == 22_268_928
    assert table.loc["table 1", "verdict"] == "lost in the source"


def test_what_nothing_measures_says_of_which_model_it_is(results: Path):
    content = yaml.safe_load(SOURCE)
    content["undecided"][1]["model"] = "maker/bert"
    source = Source.model_validate(content)
    table = measure_ledger([source], subject("bert"), results, (), None, roles={})["csv"]
    row = table.set_index("statement").loc["table 1"]
    assert (row["verdict"], row["reason"]) == (
        "lost in the source",
        "is about maker/bert; no values",
    )


ON_LAYERS = """
source: a paper
protocol: theirs
decided: {when: before results, why: nothing was measured}
claims_on_layers:
  - {claim: block 2 is wider, section: "figure 3", model: maker/bert, published: "2.0, 1.0",
     statistic: rank, cell: {file: "results/x/profiles/{model}.csv", value: minimum, exact: true},
     holds_if: value > 1}
"""


@pytest.mark.parametrize("model", ["bert", "small"])
def test_a_claim_on_layers_names_the_command_that_decides_it(model: str, results: Path):
    """Whether or not the model is profiled: the table of profiles is no dependency."""
    Path("results/x/profiles").mkdir()
    Path("results/x/profiles/bert.csv").write_text("minimum\n3\n")
    source = Source.model_validate(yaml.safe_load(ON_LAYERS))
    (row,) = measure_ledger([source], subject(model), results, (), None, roles={})["csv"].to_dict(
        "records"
    )
    assert (row["kind"], row["published"]) == ("claim", "2.0, 1.0")
    assert (row["verdict"], row["decided"]) == ("not checkable", "before results")
    assert "maker/bert" in row["reason"]
    assert "`embspace verify --all`" in row["reason"]
    assert pd.isna(row["value"])


NUMBERS_BY_OTHERS = {
    "Avery": (16, 3),
    "Cheng": (19, 5),
    "Dar": (11 + 8 + 20 + 14, 10),
    "Saponati": (13, 2),
    "Skean": (8, 6),
}


def test_numbers_of_others_have_rows_that_leave_those_before_as_they_are(root: Path, results: Path):
    sources = [read_source(root / file) for file in SOURCES]
    ask = {"corpora": (), "roles": {}}
    ours = measure_ledger(sources, subject("small"), results, untrained=None, **ask)["csv"]
    before = measure_ledger(sources[:2], subject("small"), results, untrained=None, **ask)["csv"]
    pd.testing.assert_frame_equal(
        ours.iloc[: len(before)].dropna(axis=1, how="all"),
        before.dropna(axis=1, how="all"),
        check_dtype=False,
    )
    others = ours.iloc[len(before) :]
    figures = others["source"].str.startswith("Bonino")  # of code that cuts weights wrongly
    assert set(others[figures]["verdict"]) == {"not checkable", "error in the source"}
    assert figures.sum() == 10 + 4
    others = others[~figures]
    assert set(others["verdict"]) == {"not checkable"}
    for_all = others["source"].str.startswith("Avery") & (others["kind"] == "claim")
    assert others[for_all]["reason"].str.endswith("is not there").all()
    single = others[~for_all]
    assert (
        single["reason"]
        .str.startswith(
            ("is about ", "the model is not named", "needs tables of models under `profiled`")
        )
        .all()
    )
    assert others["value"].isna().all()
    for author, (n_claims, n_undecided) in NUMBERS_BY_OTHERS.items():
        rows = others[others["source"].str.startswith(author)]
        kinds = rows["kind"].value_counts()
        assert (kinds.get("claim", 0), kinds.get("undecided", 0)) == (n_claims, n_undecided)


def test_a_result_that_is_not_there_is_said(results: Path):
    Path("results/y/small.json").unlink()
    row = ledger("small", results).loc["weights: n"]
    assert (row["verdict"], row["reason"]) == ("not checkable", "no results/y/small.json")


@pytest.mark.parametrize(
    ("words", "verdicts"),
    [
        ("file", {("not checkable", "needs words of WordNet")}),
        ("wordnet", {("matches", PROBED_WORDS), ("differs", PROBED_WORDS)}),
    ],
)
def test_accuracies_of_the_thesis_are_asked_of_words_of_wordnet_alone(
    words: str, verdicts: set[tuple[str, str]], root: Path, results: Path
):
    source = read_source(root / "data/published/luisto_thesis.yaml")
    entries = [entry for entry in source.entries if "words of WordNet" in entry.quantity]
    assert len(entries) == 3
    Path("results/probing/accuracy").mkdir(parents=True)
    rows = [
        f"input,,trained,{entry.where['probe']},part_of_speech,{words},{accuracy}"
        for entry, accuracy in zip(entries, (0.83, 0.86, 0.87), strict=True)
    ]
    table = "\n".join(["features,layer,weights,probe,task,source,accuracy", *rows])
    Path("results/probing/accuracy/bert.csv").write_text(f"{table}\n")
    nothing: dict[str, list[Any]] = {"claims": [], "claims_on_layers": [], "undecided": []}
    only = source.model_copy(update={"entries": entries, **nothing})
    wordnet_rows = measure_ledger(
        [only], Subject("bert", entries[0].model), results, (), None, roles={}
    )["csv"]
    assert set(wordnet_rows[["verdict", "reason"]].itertuples(index=False, name=None)) == verdicts


def test_the_thesis_has_its_numbers_and_claims(root: Path):
    source = read_source(root / "data/published/luisto_thesis.yaml")
    n = sum(len(entry.published) for entry in source.entries)
    assert n + len(source.undecided) >= 150
    assert len(source.claims) >= 30
    assert {claim.question for claim in source.claims} >= {"1", "2", "3a", "3b", "3c"}
    places = [*source.entries, *source.claims, *source.undecided]
    assert all(place.section and place.page for place in places)


@pytest.mark.parametrize(
    ("page", "words", "kind"),
    [
        (60, "most negative cosines", "claim"),
        (68, "does not show in the cosines by offset", "claim"),
        (69, "extremal cosines of segment 1 with tokens", "claim"),
        (45, "knows no order", "claim"),
        (57, "t-SNE shows the positions among the tokens as two parts", "claim"),
        (57, "pac-man", "undecided"),
        (63, "values of the positions from 384", "undecided"),
    ],
)
def test_each_claim_of_the_thesis_has_its_row(root: Path, page: int, words: str, kind: str):
    source = read_source(root / "data/published/luisto_thesis.yaml")
    rows = [(claim.page, claim.claim, "claim") for claim in source.claims]
    rows += [(entry.page, entry.quantity, "undecided") for entry in source.undecided]
    assert [(at, what) for at, said, what in rows if words in said] == [(page, kind)]


def test_bert_decides_its_numbers_under_whatever_name(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A folder that says `stands_for` has the thesis's segments, and all twelve numbers match."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(root / "conf", "conf")
    shutil.copytree(root / "data/published", "data/published")
    shipped = yaml.safe_load(Path("conf/model/bert_base_cased.yaml").read_text())
    kept = {key: shipped[key] for key in ("license", "language", "matrices")}
    folder = {**kept, "label": "mine", "source": "path", "path": "models/mine"}
    folder["stands_for"] = "google-bert/bert-base-cased"
    Path("conf/model/mine.yaml").write_text(yaml.safe_dump(folder))
    sources = read_sources()
    printed: dict[str, dict[str, float]] = {}
    for source in sources:
        for entry in source.entries:
            if entry.file.endswith(".json") and entry.model == folder["stands_for"]:
                numbers = {
                    key: float(printed) / entry.factor for key, printed in entry.published.items()
                }
                printed.setdefault(entry.file, {}).update(numbers)
    assert sum(map(len, printed.values())) >= 12
    for name in ("mine", "bert_base_cased"):
        for file, numbers in printed.items():
            path = Path(file.replace("{model}", name))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(nested(numbers)))
        table = measure_ledger(sources, read_subject(name), Path("results"), (), None, roles={})[
            "csv"
        ]
        about = table[(table["kind"] == "number") & (table["verdict"] == "matches")]
        assert len(about) >= sum(map(len, printed.values())), name
        assert not table["reason"].fillna("").str.contains(f"is about {folder['stands_for']}").any()


def nested(numbers: dict[str, float]) -> dict[str, Any]:
    """Dotted keys as objects within objects."""
    whole: dict[str, Any] = {}
    for key, number in numbers.items():
        *path, last = key.split(".")
        within = whole
        for part in path:
            within = within.setdefault(part, {})
        within[last] = number
    return whole


OTHERS = {"articles": "wikipedia", "posts": "emotion", "sentences": "wikipedia_sentences"}


@pytest.fixture
def with_other_corpora(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The results of MiniLM, as they would be of the thesis's own corpora, tweets listed first."""
    monkeypatch.chdir(tmp_path)
    for folder in ("conf", "data/published"):
        shutil.copytree(root / folder, folder)
    params = yaml.safe_load((root / "params.yaml").read_text())
    params["corpora"] = ["model_card", "emotion", "wikipedia", "wikipedia_sentences"]
    params["roles"] = {role: OTHERS[corpus] for role, corpus in params["roles"].items()}
    Path("params.yaml").write_text(yaml.safe_dump(params))
    for file in (root / "tests/baselines").rglob("minilm.*"):
        target = Path("results", file.relative_to(root / "tests/baselines"))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    for file in Path("results").rglob("minilm.csv"):
        table = pd.read_csv(file, dtype=str, keep_default_na=False)
        if "corpus" in table:
            renamed = table.replace(dict.fromkeys(["corpus", "other_corpus"], OTHERS))
            turned_about(renamed).to_csv(file, index=False)
    return root


def turned_about(table: pd.DataFrame) -> pd.DataFrame:
    """With the tweets first in each pair of corpora, as they are in the list.

    A table that has two corpora in both orders, of what the one has more than the other, stays.
    """
    if "other_corpus" not in table:
        return table
    orders = set(zip(table["corpus"], table["other_corpus"], strict=True))
    if any(a != b and (b, a) in orders for a, b in orders):
        return table
    late = table["other_corpus"] == "emotion"
    table.loc[late, ["corpus", "other_corpus"]] = table.loc[
        late, ["other_corpus", "corpus"]
    ].to_numpy()
    return table


def test_corpora_of_any_name_decide_what_is_said_of_long_and_short_texts(
    with_other_corpora: Path,
):
    shipped = yaml.safe_load((with_other_corpora / "params.yaml").read_text())
    options = {"corpora": shipped["corpora"], "roles": shipped["roles"]}
    sources = [read_source(with_other_corpora / file) for file in SOURCES]
    baselines = with_other_corpora / "tests/baselines"
    ours = measure_ledger(sources, Subject("minilm", None), baselines, untrained=None, **options)[
        "csv"
    ]
    run_stage(with_other_corpora)
    theirs = pd.read_csv("results/ledger/minilm.csv", na_values=[""], keep_default_na=False)
    theirs["verdict"] = theirs["verdict"].replace(ALSO_UNTRAINED, "matches")  # it has a twin
    on_texts = ours["section"].isin(["4.4.3", "4.5.1"]) & (ours["kind"] == "claim")
    assert (ours[on_texts]["verdict"].isin(["matches", "differs"])).sum() >= 14
    for column in ("statement", "verdict", "rests_on"):
        assert list(theirs[on_texts][column].fillna("")) == list(ours[on_texts][column])
    values = ours[on_texts][["value", "low", "high", "null"]].to_numpy(dtype=float)
    again = theirs[on_texts][["value", "low", "high", "null"]].to_numpy(dtype=float)
    assert again == pytest.approx(values, rel=1e-5, nan_ok=True)


def test_a_claim_about_a_role_that_no_corpus_has_cannot_be_had(with_other_corpora: Path):
    run_stage(with_other_corpora, "roles={short_texts:emotion,long_texts:articles}")
    table = pd.read_csv("results/ledger/minilm.csv").set_index("statement")
    apart = table.loc["Articles and posts lie in different places (figure 25)."]
    assert (apart["verdict"], apart["reason"]) == (
        "not checkable",
        "no corpus of params.yaml has the role long_texts",  # articles are not among them
    )
    cloud = "The cloud of posts has a shape of its own (figure 25)."
    assert table.loc[cloud, "verdict"] in HOLDS


def run_stage(root: Path, *overrides: str) -> None:
    """Run the stage in the current folder, as the pipeline does."""
    command = [
        sys.executable,
        "-m",
        "embspace.measure.compare.ledger",
        "model=minilm",
        *overrides,
    ]
    environment = os.environ | {"PYTHONPATH": str(root / "src")}
    subprocess.run(command, check=True, env=environment, capture_output=True, text=True)

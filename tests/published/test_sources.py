from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.published.sources import ANY_MODEL, read_sources
from embspace.published.subjects import names_of
from embspace.settings.pipeline import graph_files
from tests.verify.tree import put

SOURCE = """
source: a paper
protocol: as they did it
entries:
  - quantity: norms
    model: maker/small
    file: results/similarity/summary/{model}.csv
    where: {space: input}
    published: {mean: "1.50"}
"""


def test_a_source_is_read(tree: Path):
    put("data/published/paper.yaml", SOURCE)
    (source,) = read_sources()
    assert source.entries[0].published == {"mean": "1.50"}


def test_without_sources_there_is_nothing_to_check(tree: Path):
    assert read_sources() == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"1.50"', "1.50", "published.mean': .*valid string, found 1.5"),
        ('"1.50"', '"many"', "'mean' is no number: 'many'"),
        ('"1.50"', '"NaN"', "'mean' is no number: 'NaN'"),
        ("file: results/", "file: ", "`file` starts with 'results/'"),
        ("    where:", "    absolute_tolerance: 0.1\n    where:", "`reason` come together"),
        ("    where:", "    reason: coarse\n    where:", "`reason` come together"),
        ("source: a paper", "", "key 'source' is missing"),
        ("    where:", "    pair: {columns: [a], values: [b, c]}\n    where:", "pair.columns"),
    ],
)
def test_what_does_not_fit_is_named(tree: Path, old: str, new: str, message: str):
    assert old in SOURCE
    put("data/published/paper.yaml", SOURCE.replace(old, new))
    with pytest.raises(InputError, match=r"data/published/paper\.yaml: .*" + message):
        read_sources()


def test_the_projects_own_sources_fit(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    sources = {source.source: source for source in read_sources()}
    assert sources
    assert any(source.claims for source in sources.values())


def test_each_model_that_a_source_is_about_is_described(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(root)
    about = {
        item.model
        for source in read_sources()
        for kind in (source.entries, source.claims, source.claims_on_layers, source.undecided)
        for item in kind
    }
    assert len(about) > 2
    for repository in about - {ANY_MODEL, ""}:
        assert names_of(repository), repository
    assert {"minilm", "minilm_hub"} <= {*names_of("sentence-transformers/all-MiniLM-L6-v2")}


@pytest.mark.parametrize("name", ["small", "a/b/c", "maker/"])
def test_a_model_is_named_by_its_repository(tree: Path, name: str):
    put("data/published/paper.yaml", SOURCE.replace("maker/small", name))
    with pytest.raises(InputError, match=r"entries\.0\.model"):
        read_sources()


def test_the_projects_own_files_are_outputs_of_its_stages(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(root)
    stages = "".join(graph.read_text() for graph in graph_files(Path()))
    for source in read_sources():
        for entry in source.entries:
            assert entry.file.replace("{model}", "${item.model}") in stages
        for claim in source.claims_on_runs:
            place = claim.file.replace("{run}", "${item.train}")
            place = place.replace("{checkpointed}", "${item.model}")
            assert place.replace("{model}", "${item.model}") in stages
        for on_layers in source.claims_on_layers:
            for cell in on_layers.cells:
                place = cell.file
                if "{model}--" in place:  # of a pair, which {item} alone names
                    place = place.partition("{model}--")[0] + "${"
                assert place.replace("{model}", "${item.model}") in stages


def test_a_source_may_print_no_number_but_not_say_nothing(tree: Path):
    claim = "{claim: c, section: '1', file: 'results/x/{run}.csv', where: {claim: c}, "
    claim += "decided: {when: after results, why: it is so}}"
    text = f"source: a paper\nprotocol: theirs\nclaims_on_runs: [{claim}]\n"
    put("data/published/paper.yaml", text)
    assert read_sources()[0].claims_on_runs[0].where == {"claim": "c"}
    put("data/published/paper.yaml", text.replace("{run}", "small"))
    with pytest.raises(InputError, match="claims_on_runs.*file"):
        read_sources()
    put("data/published/paper.yaml", "source: a paper\nprotocol: theirs\n")
    with pytest.raises(InputError, match="expected `entries`, `claims`, .* or `undecided`"):
        read_sources()

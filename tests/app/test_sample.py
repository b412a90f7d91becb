from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from embspace.app.cli import app
from embspace.app.sample import sample_pages
from embspace.errors import InputError
from embspace.prepare.sources.wikipedia import load_wikipedia
from embspace.settings.corpus import describe_corpus
from embspace.settings.schema import read_yaml
from tests.loopback import Server, serving
from tests.wikipedia_server import ARTICLES, LARGEST, wikipedia

PAGES = Path("data/texts/pages.csv")
DESCRIPTION = Path("conf/corpus/wikipedia.yaml")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A wiki, and in the current folder a corpus of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("embspace.prepare.sources.wikipedia_sample.time.sleep", lambda _: None)
    with serving(wikipedia) as server:
        describe(api=f"{server.address}/w/api.php")
        yield server


def describe(**given: str) -> None:
    content = {"label": "Wikipedia", "license": "CC-BY-SA-4.0", "language": "English"}
    content |= {"source": "wikipedia", "pages": str(PAGES), **given}
    DESCRIPTION.parent.mkdir(parents=True, exist_ok=True)
    DESCRIPTION.write_text(yaml.safe_dump({**content, "seconds_between_requests": 0.1}))


def test_the_file_that_it_writes_pins_the_texts_of_the_corpus(server: Server):
    said = list(sample_pages("wikipedia", n_pages=3, seed=0))
    assert said == [
        f"drawing among the page ids up to {LARGEST}; --largest-id {LARGEST} repeats it",
        "data/texts/pages.csv: 3 articles, each at its latest revision",
    ]
    header, *lines = PAGES.read_text().splitlines()
    assert header == "title,page_id,revision"
    ids = [int(line.split(",")[-2]) for line in lines]
    assert set(ids) < set(ARTICLES)
    texts = load_wikipedia(describe_corpus("wikipedia", read_yaml(DESCRIPTION)))
    assert texts["text"].tolist() == [f"Text {number}." for number in ids]


def test_a_largest_id_that_is_given_is_not_asked_for(server: Server):
    first = CliRunner().invoke(app, ["sample", "wikipedia", "--n-pages", "3", "--seed", "4"])
    assert (first.exit_code, first.stderr) == (0, "")
    again = PAGES.read_text()
    PAGES.unlink()
    n_requests = len(server.requests)
    list(sample_pages("wikipedia", n_pages=3, seed=4, largest_id=LARGEST))
    assert PAGES.read_text() == again
    assert len(server.requests) == 2 * n_requests - 1


def test_a_list_that_is_there_stays(server: Server):
    PAGES.parent.mkdir(parents=True)
    PAGES.write_text("title,revision\nSalt,101\n")
    with pytest.raises(
        InputError, match=r"^conf/corpus/wikipedia\.yaml: key 'pages': found data/texts/pages\.csv"
    ):
        list(sample_pages("wikipedia", n_pages=3, seed=0))
    assert PAGES.read_text() == "title,revision\nSalt,101\n"
    assert not server.requests


def test_nothing_is_written_of_a_sample_that_fails(server: Server):
    result = CliRunner().invoke(app, ["sample", "wikipedia", "--n-pages", "99", "--seed", "0"])
    assert result.exit_code == 1
    assert "error: conf/corpus/wikipedia.yaml: http" in result.stderr
    assert "found 40 articles among all page ids up to 200" in result.stderr
    assert not PAGES.exists()


def test_only_a_corpus_of_wikipedia_is_drawn(server: Server):
    content = yaml.safe_load(DESCRIPTION.read_text())
    own = {key: content[key] for key in ("label", "license", "language")}
    own |= {"source": "file", "path": "x.txt"}
    DESCRIPTION.with_name("mine.yaml").write_text(yaml.safe_dump(own))
    with pytest.raises(InputError, match=r"mine\.yaml: key 'source': found 'file', allowed: wikip"):
        list(sample_pages("mine", n_pages=3, seed=0))
    with pytest.raises(InputError, match=r"wikipdia\.yaml: not found; .*mean 'wikipedia'\?"):
        list(sample_pages("wikipdia", n_pages=3, seed=0))
    assert not server.requests

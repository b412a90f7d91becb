import pytest

from embspace.config import read_yaml
from embspace.corpus import describe_corpus
from embspace.errors import InputError
from embspace.files.texts import load_texts


def test_a_wrong_key_names_the_file():
    with pytest.raises(InputError, match=r"conf/corpus/x\.yaml: key 'pfad' is unknown"):
        describe_corpus(
            "x", {"label": "x", "licence": "CC0-1.0", "language": "none", "path": "a", "pfad": "b"}
        )


@pytest.mark.parametrize(("path", "warned"), [("data/texts/x.txt", False), ("/a/x.txt", True)])
def test_texts_that_dvc_does_not_watch_are_told(path: str, warned: bool, caplog):
    describe_corpus("x", {"label": "x", "licence": "none", "language": "none", "path": path})
    assert ("would not notice a change of /a/x.txt" in caplog.text) == warned


def test_the_corpora_that_come_with_embspace_can_be_read(root, monkeypatch):
    monkeypatch.chdir(root)
    for path in (root / "conf/corpus").glob("*.yaml"):
        corpus = describe_corpus(path.stem, read_yaml(path))
        assert load_texts(corpus.path).texts


def test_one_article_is_longer_than_a_window(root, monkeypatch):
    # So that the default run goes through the windows too.
    monkeypatch.chdir(root)
    assert max(len(text.split()) for text in load_texts("data/texts/articles.jsonl").texts) > 512

"""Command `embspace sample`: draws the articles of a corpus of Wikipedia, and writes them down."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from embspace.errors import InputError, counted, within
from embspace.files.remote import local_path
from embspace.files.tables import save_table
from embspace.prepare.sources.wikipedia_sample import draw_pages, find_largest_id
from embspace.settings.corpus import WikipediaCorpus, corpus_file, describe_corpus
from embspace.settings.find_description import described_in
from embspace.settings.params import CONF
from embspace.settings.schema import read_yaml


def sample_pages(
    name: str, *, n_pages: int, seed: int, largest_id: int | None = None
) -> Iterator[str]:
    """Draw articles by the seed, write them to the corpus's file of pages, and report.

    Without `largest_id`, the wiki's newest page sets the largest id. A failed draw with the same
    seed and largest id is continued, not repeated.

    Raises:
        InputError: if the corpus does not exist, has a different source, or already has a file of
            pages, before any request; if the wiki does not answer or has too few articles.
    """
    corpus = describe_corpus(name, read_yaml(described_in(CONF / "corpus", name)))
    with within(corpus_file(name)):
        if not isinstance(corpus, WikipediaCorpus):
            raise InputError(f"key 'source': found '{corpus.source}', allowed: wikipedia")
        path = local_path(corpus.pages)
        if path.exists():
            raise InputError(
                f"key 'pages': found {corpus.pages}, which is there already, allowed: a file to "
                "be written; remove it, or name another one"
            )
        largest = largest_id or find_largest_id(corpus)
        yield f"drawing among the page ids up to {largest}; --largest-id {largest} repeats it"
        begun = Path(f".cache/samples/{quote(corpus.api, safe='')}-{seed}-{largest}.csv")
        if begun.is_file():
            yield f"goes on from {begun}, which an earlier draw has left"
        pages = draw_pages(corpus, n_pages=n_pages, seed=seed, largest_id=largest, begun=begun)
    save_table(pages, str(path))
    yield f"{corpus.pages}: {counted(len(pages), 'article')}, each at its latest revision"

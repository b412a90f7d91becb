"""Schema of conf/corpus/<name>.yaml. A corpus is data, as a model is."""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from embspace.errors import InputError, not_among, within
from embspace.settings.params import CONF, LARGEST_SEED
from embspace.settings.schema import Strict, validate
from embspace.settings.types import Probability


class _Corpus(Strict):
    label: str
    license: str
    language: str
    unit: Literal["text", "sentence"] = "text"  # what the model reads at a time
    token_states: bool = True  # whether those of single tokens are kept, beside the pooled ones
    halves: bool = False  # whether the halves of texts are read too, as `measure_search` needs
    # Jaccard index of runs of five words from which on two texts are copies, and one unit in folds,
    # halves and search; null: equal ones alone.
    copy_similarity: float | None = Field(0.9, gt=0, le=1)


class BuiltinCorpus(_Corpus):
    """Texts delivered with embspace: JSON lines with id, text and further known fields."""

    source: Literal["builtin"]
    path: str


class FileCorpus(_Corpus):
    """Texts in a file: .txt, .csv, .tsv, .jsonl, .json or .parquet."""

    source: Literal["file"]
    path: str
    text_column: str = "text"
    id_column: str | None = None  # the row's number where there is none
    group_column: str | None = None  # of what colors a map of these texts
    document_column: str | None = None  # of what belongs together; `document` where there is one
    separator: str | None = None  # of cells; a comma for .csv, a tab for .tsv
    skip_empty: bool = False  # leaves out rows without a text


class HubCorpus(_Corpus):
    """A data set of the model hub: the newest commit, unless `revision` pins a commit."""

    source: Literal["hub"]
    repository: Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$")]  # owner/name
    revision: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")] | None  # null: the newest
    subset: str | None = None
    split: str
    text_column: str = "text"
    id_column: str | None = None
    n_texts: int | None = Field(None, ge=1)  # the first ones; all if not given


class WikipediaCorpus(_Corpus):
    """Articles of Wikipedia by page and revision, through the public API.

    `pages` is a CSV file that the user writes, one row per page, with the columns `title` and
    `revision`: the number after `oldid=` in the address of the page's permanent link. An empty
    `revision` means the latest; a warning then names the revision used.
    """

    source: Literal["wikipedia"]
    api: str
    pages: str
    contact: Annotated[str, Field(pattern=r"^[ -~]+$")] | None = None  # e-mail or page of who asks
    seconds_between_requests: float = Field(1.0, ge=0.1)


class Enwik8Corpus(_Corpus):
    """Pieces of the first 10^8 bytes of English Wikipedia, cleaned or unchanged."""

    source: Literal["enwik8"]
    url: str  # or a path; the text itself, or a zip that holds just this one file
    # Of that file as it is, zip or not.
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    cleaned: bool
    characters: int = Field(ge=1)  # of one text
    n_texts: int = Field(ge=1)
    # Different ones, by what a source prints; what is found is told beside it.
    printed_characters: int | None = Field(None, ge=1)


def _one_group(pattern: str) -> str:
    try:
        n_groups = re.compile(pattern).groups
    except re.error as error:
        raise ValueError(f"A regular expression ({error})") from None
    if n_groups != 1:
        raise ValueError("A regular expression with one group (…), which is the class")
    return pattern


class FastaCorpus(_Corpus):
    """Sequences of nucleotides in a FASTA file, read as k-mers.

    Codons are counted from the first base of each record.
    """

    source: Literal["fasta"]
    # Of sequences of one gene nearly all are alike.
    copy_similarity: float | None = Field(None, gt=0, le=1)
    path: str
    first_codon: int | None = Field(None, ge=1)  # of the region; both, or none for the whole
    last_codon: int | None = Field(None, ge=1)
    k: int = Field(ge=1)  # bases of a k-mer
    stride: int = Field(ge=1)  # bases from one to the next
    # Found in the header, its group is the class.
    class_pattern: Annotated[str, AfterValidator(_one_group)] | None = None
    deduplicate: bool  # within a class, whether a sequence stands once


class LineagesCorpus(_Corpus):
    """Simulated sequences of a gene, by the changes that define lineages, read as k-mers.

    `embspace.prepare.sources.lineages` describes the simulation.
    """

    source: Literal["lineages"]
    reference: str  # FASTA of one record
    lineages: str  # CSV, a row a change
    gene_start: int = Field(ge=1)  # bases of the reference, the first and last included
    gene_end: int = Field(ge=1)
    first_codon: int = Field(ge=1)  # of the region that is read, in codons of the reference's gene
    last_codon: int = Field(ge=1)
    k: int = Field(ge=1)
    stride: int = Field(ge=1)
    n_ancestors: int = Field(ge=1)  # of a class
    n_descendants: int = Field(ge=1)  # of an ancestor
    absence_rate: Probability  # of a defining change, in an ancestor
    ancestor_substitution_rate: Probability  # of a base
    descendant_substitution_rate: Probability
    gap_rate: Probability  # of a base, to be the first of a gap
    gap_length: int = Field(ge=1)  # bases
    deduplicate: bool  # within a class, whether a sequence stands once
    seed: int = Field(ge=0, le=LARGEST_SEED)  # its own: another one makes another corpus


class GrammarProbabilities(Strict):
    """The probabilities of the generated language's choices; see embspace.grammar.rules."""

    stay: Probability  # a sentence has the topic of the one before it
    own_topic: Probability  # a noun, verb or adjective is of the sentence's topic
    plural: Probability  # of a subject or object, not of what stands between subject and verb
    marked: Probability  # a noun's number shows in its determiner too
    adjective: Probability  # before a noun
    adverb: Probability  # before the main verb
    prepositional: Probability  # after the subject's noun
    subject_relative: Probability  # in the same place, "that sees the cat"
    object_relative: Probability  # in the same place, "that the cat sees"
    stacked: float = Field(ge=0, lt=1)  # a prepositional phrase has another one after it
    attractor: Probability  # a noun between subject and verb is of the other number
    adjunct: Probability  # a prepositional phrase after the object

    @property
    def bare(self) -> float:
        """A subject has nothing after the noun."""
        return max(0.0, 1 - self._modified)

    @property
    def _modified(self) -> float:
        return self.prepositional + self.subject_relative + self.object_relative

    @model_validator(mode="after")
    def _sum_to_one(self) -> "GrammarProbabilities":
        if self._modified > 1 + 1e-9:
            raise ValueError(
                "prepositional, subject_relative and object_relative exclude one another and may "
                f"sum to one, not to {self._modified:g}"
            )
        return self


class Range(Strict):
    """Whole numbers, all equally likely."""

    fewest: int = Field(ge=1)
    most: int

    @model_validator(mode="after")
    def _in_order(self) -> "Range":
        if self.most < self.fewest:
            raise ValueError("most may not be below fewest")
        return self


class GrammarCorpus(_Corpus):
    """Documents of an invented language whose structure is known exactly; see embspace.grammar."""

    source: Literal["grammar"]
    # `split_sentences` goes by capitals, of which the language has none.
    halves: Literal[False] = False
    n_documents: int = Field(ge=1)
    n_sentences: Range  # of a document
    n_topics: int = Field(ge=2, le=100)
    n_nouns: int = Field(ge=1, le=100)  # stems of each topic, as those of verbs and adjectives
    n_verbs: int = Field(ge=1, le=100)
    n_adjectives: int = Field(ge=1, le=100)
    n_adverbs: int = Field(ge=1, le=100)  # of all topics together, as what follows
    n_determiners: int = Field(ge=1, le=10)  # without number
    n_demonstratives: int = Field(ge=1, le=10)  # determiners with number, each in both numbers
    n_prepositions: int = Field(ge=1, le=10)
    zipf_exponent: float = Field(ge=0)
    probabilities: GrammarProbabilities
    seed: int = Field(ge=0)  # of the words and of the documents


Corpus = (
    BuiltinCorpus
    | FileCorpus
    | HubCorpus
    | WikipediaCorpus
    | Enwik8Corpus
    | FastaCorpus
    | LineagesCorpus
    | GrammarCorpus
)
SOURCES: dict[str, type[Corpus]] = {
    "builtin": BuiltinCorpus,
    "file": FileCorpus,
    "hub": HubCorpus,
    "wikipedia": WikipediaCorpus,
    "enwik8": Enwik8Corpus,
    "fasta": FastaCorpus,
    "lineages": LineagesCorpus,
    "grammar": GrammarCorpus,
}


def corpus_file(name: str) -> str:
    """Return the path of the file that describes the corpus `name`."""
    return str(CONF / "corpus" / f"{name}.yaml")


def describe_corpus(name: str, content: dict[str, Any]) -> Corpus:
    """Return the checked content of a corpus's file.

    Raises:
        InputError: naming file, key, and the found and allowed values.
    """
    source = content.get("source")
    if not isinstance(source, str) or source not in SOURCES:
        raise InputError(f"{corpus_file(name)}: key 'source': {not_among(source, SOURCES)}")
    corpus = validate(SOURCES[source], content, corpus_file(name))
    if corpus.halves and corpus.unit == "sentence":
        raise InputError(
            f"{corpus_file(name)}: key 'halves': found True, allowed: False with `unit: sentence`; "
            "a sentence has no halves of whole sentences"
        )
    if isinstance(corpus, FastaCorpus | LineagesCorpus):
        with within(corpus_file(name)):
            _check_region(corpus)
    return corpus


def _check_region(corpus: FastaCorpus | LineagesCorpus) -> None:
    first, last = corpus.first_codon, corpus.last_codon
    if (first is None) != (last is None):
        raise InputError("keys 'first_codon' and 'last_codon': expected both, or none of them")
    if first is not None and last is not None and first > last:
        raise InputError(f"key 'last_codon': found {last}, allowed: from first_codon, {first}")
    if corpus.stride > corpus.k:
        raise InputError(
            f"key 'stride': found {corpus.stride}, allowed: up to k, {corpus.k}; no base is skipped"
        )

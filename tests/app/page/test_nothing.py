"""Sections with nothing to show, and sentences of nothing."""

import shutil
from pathlib import Path

import pytest
import yaml

from embspace.app.page.nothing import (
    is_empty,
    reads_nothing,
    says_nothing,
    stimuli_read,
    why_unread,
)
from embspace.app.page.texts_read import TextsKind, UnknownShare


@pytest.mark.parametrize(
    "title",
    [
        "",
        "No words to follow",
        "There are no position embeddings to look at",
        "There is no path of position embeddings to look at",
        "A has no position embeddings to tell from tokens",
        "The texts of one corpus",
        "No two corpora to tell apart",
        "By mean pooling no earlier layer surely holds more of the last one's neighbors than the "
        "last of its, or fewer",
        "Mean pooling labels 5 % of texts correctly, words alone 5 %: no clear difference",
        "The norm of a token embedding says little of its cosine with the mean",
        "How A compares queries with keys is not known here",
        "The stream of A was not measured",
        "Participation ratio of tokens is undefined in all layers",
        "1 layer is too few to decide whether lower layers do more than upper layers",
        "Texts neither draw together nor spread out: at most, the median cosine goes from 0.975",
        "No cosine of two texts is 0 or less, at any layer; nor is one of Gaussian vectors",
        "Token embeddings are as long as position embeddings: norm 0.23",
        "Most variance of positions lies in 98 directions, of isotropic vectors in as many, 100",
        "Tokens move together no more than by chance: 2 % of their variance lies between layers, "
        "4 % with random weights",
        "At the last layer no corpus lies farther from another than its halves",
        "Undecided if features recur beyond random weights: 94 % by ICA in layer 3",
        "Known uses of words are not told apart beyond random weights, so no word's uses are",
        "The part of speech is read off no layer better than with random weights: 32 % at most",
        "Antonyms are not surely more alike than random pairs, whatever is taken away; cosine does "
        "not tell them from synonyms",
        "[PAD] has length zero, so that it is among the 10 nearest of 29,266 vectors; centered, at "
        "unit length, a vector is among the nearest of at most 27, as by chance",
        "The offset explains 100 % of the variance of sinusoidal positions' cosines, 47 % of that "
        "of learned ones, as much in random walks",
        "At the last layer no text is an outlier in its own corpus, beyond chance",
        "Of the texts nearest to posts by mean pooling, 49 % are posts, as many as by chance",
        "Token-position pairs with a cosine beyond ±0.2: 7,022, about as many as by chance 6,966",
        "The offset explains 100 % of the variance of sinusoidal positions' cosines; the model has "
        "no learned positions",
        "The offset explains 100 % of the variance of sinusoidal positions' cosines, 0 % of that "
        "of learned ones",
        "Tokens of x have the most dimensions at layer 0 of 12: TwoNN dimension 41 (last layer 2, "
        "not converged)",
        "Hubs of tokens of x are no stronger than those of a Gaussian, the strongest at layer 4",
        "Heads of x taken together are as symmetric as random ones: symmetry 0.50 in the median",
        "Of the tokens 92 % are other tokens, 6.6 % ASCII characters, 0.85 % special tokens",
        "No head of x relates equal tokens or related words beyond chance",
        "None of 8 heads makes a pattern by our bounds, as at random weights",
        "Heads spread their attention as with random weights: half hold 90 % of it in 89 %",
        "No position lies apart, and nothing changes along them",
        "No unit of x writes 15 % or more of the words that it reads, as with partners dealt anew",
        "The median cosine of a token with the mean is 0.03",
        "The cosine of two positions depends on their offset no more than in shuffled order",
        "Too few words of one token to read a part of speech off",
        "Transpose and pseudo-inverse keep vectors of MLPs alike, and normal ones, too: cosines "
        "differ by less than 0.01",
        "No kind of token points where the mean points: median cosines 0.00 to 0.02",
        "Neither attention nor MLP changes the mean cosine of a text's tokens, as at random "
        "weights",
        "Neighbors hardly change: 1.6 % to 1.7 % are new after a layer, as at random weights (2 %)",
        "Logistic regression does not tell positions from tokens: AUC 0.51 at best",
        "Two principal components hold 3.4 % of the variance of tokens and positions, 5.4 % of "
        "that of positions alone, as of isotropic vectors",
        "Mean cosine of tokens of x does not surely differ between layers: 0.50",
        "Hubness of tokens of x converged in 1 of 3 layers only: 1.15 to 1.39",
        "No step of tokens of “cat” stands out: 2.0 on average to layer 3",
    ],
)
def test_what_a_title_does_not_say_is_no_finding(title: str):
    assert says_nothing(title)


@pytest.mark.parametrize(
    "title",
    [
        "Token embeddings are longer than position embeddings: norm 1.11 against 0.48",
        "On average senses do not surely lie apart at the last layer",
        "The last layer stands apart: it is farthest from the mean in 5 of 9 measures",
        "3 positions of 512 lie apart (0, 127, 511); 3 changes of regime along the others",
        "Without positions a permuted text has the same states, permuted",
        "Beyond chance, among 48 heads of x, values and outputs relate equal tokens in 0, related "
        "words in 0; queries and keys relate equal tokens in 3, related words in 0",
        "Heads differ less within a layer than between layers; none of 8 heads makes a pattern by "
        "our bounds, as at random weights",
        "By our bounds 58 % of the heads are vertical (5 % without the first token's key), none "
        "with random weights",
        "Of the tokens 70 % are words, 20 % other tokens",
        "Token embeddings are as long as position embeddings; [MASK] is among the 90 nearest of 9 "
        "vectors",
        "Most variance of tokens lies in 120 directions, of isotropic vectors in 223",
        "In 10 of 10 tasks an earlier layer is clearly better than the last one",
    ],
)
def test_what_a_title_says_is_one(title: str):
    assert not says_nothing(title)


def emptied(root: Path, folder: Path, *nouns: str) -> Path:
    """Write the results of nouns of the default model, tables with their headers alone."""
    for noun in nouns:
        shutil.copytree(root / "results" / noun, folder / "results" / noun)
        for file in (folder / "results" / noun).rglob("*.csv"):
            file.write_text(file.read_text().splitlines()[0] + "\n")
    return folder


def test_a_section_is_empty_without_a_row_in_any_table_of_its_figure(root: Path, tmp_path: Path):
    emptied(root, tmp_path, "homonyms", "evolution")
    assert is_empty(tmp_path, "homonyms", "minilm")
    assert is_empty(tmp_path, "evolution_steps", "minilm")
    assert not is_empty(root, "homonyms", "minilm")
    shutil.copy(
        root / "results/homonyms/layers/minilm.csv", tmp_path / "results/homonyms/layers/minilm.csv"
    )
    assert not is_empty(tmp_path, "homonyms", "minilm")


def test_a_section_of_parts_that_are_not_known_is_empty(root: Path, tmp_path: Path):
    assert not is_empty(root, "query_key_form", "minilm")
    shutil.copytree(root / "results/query_key_form", tmp_path / "results/query_key_form")
    (tmp_path / "results/query_key_form/minilm.json").write_text('{"known": false}')
    assert is_empty(tmp_path, "query_key_form", "minilm")


def share(kind: TextsKind, key: str, value: float) -> UnknownShare:
    return UnknownShare(kind, key, f"the {kind} {key}", value, 0.2)


def test_the_reason_names_the_texts_that_an_analysis_reads_and_no_others(root: Path):
    shares = [share("stimuli", "homonyms", 0.5), share("stimuli", "synonyms", 0.75)]
    shares += [share("stimuli", "controls", 0.3)]
    shares += [share("corpus", "posts", 0.1), share("file", "data/texts/articles.jsonl", 0.5)]

    def why(noun: str) -> str:
        return why_unread(root, "minilm", noun, shares)

    assert why("homonyms") == (
        "the stimuli homonyms: 50 % of the tokens are unknown to the tokenizer, more than 20 %: "
        "what is measured of these texts is not checkable, and is empty"
    )
    assert why("synonyms") == (
        "More than 20 % of the tokens are unknown to the tokenizer, and nothing is measured, of "
        "the stimuli synonyms (75 %), the stimuli controls (30 %)"
    )
    assert why("head_map").startswith("the file data/texts/articles.jsonl: 50 %")
    assert why("evolution") == why("search") == ""
    shares[3] = share("corpus", "posts", 0.9)
    assert why("search").startswith("the corpus posts: 90 %")
    assert why("evolution").startswith("the corpus posts: 90 %")
    assert why_unread(root, "minilm", "homonyms", []) == ""


def test_texts_are_no_reason_beside_others_of_their_kind_that_are_read(root: Path):
    unknown, known = share("corpus", "a", 0.5), share("corpus", "b", 0.0)
    words = share("stimuli", "evolution", 0.0)
    unknown_words, pairs = share("stimuli", "synonyms", 0.5), share("stimuli", "paraphrases", 0.0)

    def why(noun: str, *shares: UnknownShare) -> str:
        return why_unread(root, "minilm", noun, shares)

    assert why("text_clouds", unknown, known) == why("evolution", unknown, known, words) == ""
    assert why("synonyms", unknown_words, pairs) == ""
    assert why("evolution", unknown, words).startswith("the corpus a: 50 %")
    assert why("text_clouds", unknown, share("corpus", "b", 0.3)).endswith(
        "of the corpus a (50 %), the corpus b (30 %)"
    )


def test_what_reads_unknown_texts_alone_reads_nothing(root: Path):
    reviews = share("file", "data/texts/reviews.jsonl", 0.5)
    posts = share("corpus", "posts", 0.1)

    def is_nothing(noun: str, *shares: UnknownShare) -> bool:
        return reads_nothing(root, "minilm", noun, shares)

    assert is_nothing("text_classification", reviews, posts)
    assert not is_nothing("search", reviews, posts)
    assert not is_nothing("helix", reviews, posts)  # which reads no text
    assert not is_nothing("text_classification", posts)
    some = share("stimuli", "synonyms", 0.5), share("stimuli", "controls", 0.1)
    assert not is_nothing("synonyms", *some)


def test_a_section_names_its_words_and_sentences_and_whether_it_reads_texts():
    root = Path(__file__).parents[3]
    assert stimuli_read(root, "homonyms", "m") == (["data/stimuli/homonyms.jsonl"], False)
    assert stimuli_read(root, "oppositeness", "m") == (["data/stimuli/opposites.csv"], False)
    files, is_of_corpora = stimuli_read(root, "token_paths", "m")
    assert "data/stimuli/evolution.jsonl" in files and is_of_corpora
    assert stimuli_read(root, "pca", "m") == ([], False)


def test_a_section_of_the_only_corpus_reads_words_of_settings_and_the_texts(tmp_path: Path):
    root, words = Path(__file__).parents[3], "data/stimuli/words.jsonl"
    assert stimuli_read(root, "head_features", "m") == ([words], False)
    for name in ("conf", "pipeline", "dvc.yaml"):
        (tmp_path / name).symlink_to(root / name)
    params = yaml.safe_load((root / "params.yaml").read_text()) | {"corpora": ["articles"]}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    assert stimuli_read(tmp_path, "attention_patterns", "m") == ([words], True)
    assert stimuli_read(tmp_path, "word_order", "m") == ([], True)

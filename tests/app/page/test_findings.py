"""Which findings a page has, and in which order."""

from dataclasses import dataclass

from embspace.app.page.findings import HEADLINES, MOST, Finding, findings_of, folded
from embspace.app.page.unusual import Distance


@dataclass(frozen=True)
class Titled:
    noun: str
    chapter: str = "Words"
    finding: str = "Tokens turn"
    population: str = "12 tokens"


def nouns(findings: list[Finding]) -> list[str]:
    return [finding.noun for finding in findings]


def test_labels_come_first_then_own_texts_then_what_is_unusual():
    sections = [Titled(name, chapter=name) for name in ("near", "far", "unknown", "own", "helix")]
    distances = {"near": Distance(0.01, 9, "M"), "far": Distance(0.5, 9, "M")}
    labels = Finding("layer_choice", "Layers", "The labels are told")
    findings = findings_of(sections, [labels], distances, ["own"])
    assert nouns(findings) == ["layer_choice", "own", "far", "near", "helix", "unknown"]
    assert findings[2].beside == "beside M: of 9 numbers half differ by more than 50 %"
    assert findings[1].beside == ""


def test_two_corpora_of_ones_own_are_told_apart_before_all_else_of_texts():
    sections = [Titled(name, chapter=name) for name in ("own", "two_corpora", "far")]
    distances = {"own": Distance(0.5, 9, "M")}
    assert nouns(findings_of(sections, [], distances, ["own", "two_corpora"]))[0] == "two_corpora"
    assert nouns(findings_of(sections, [], distances, []))[0] == "own"


def test_a_sentence_of_nothing_is_no_finding():
    sections = [
        Titled("a", finding="No layer stands out"),
        Titled("b", finding=""),
        Titled("c", population="no text, n = 0"),
        Titled("architecture"),
        Titled("layer_choice", finding="In 2 of 3 tasks an earlier layer is better"),
        Titled("d"),
    ]
    assert nouns(findings_of(sections, [], {}, [])) == ["layer_choice", "d"]
    labels = [Finding("layer_choice", "Layers", "The labels are told")]
    assert nouns(findings_of(sections, labels, {}, [])) == ["layer_choice", "d"]


def test_what_another_figure_says_again_is_said_once():
    sections = [Titled("sentence_similarity"), Titled("text_clouds")]
    assert nouns(findings_of(sections, [], {}, [])) == ["text_clouds"]
    assert nouns(findings_of(sections[:1], [], {}, [])) == ["sentence_similarity"]


def test_there_are_thirteen_at_most_and_all_but_five_are_folded_by_chapter():
    sections = [Titled(f"n{number}", chapter=f"c{number % 3}") for number in range(20)]
    findings = findings_of(sections, [], {}, [])
    assert (len(findings), HEADLINES, MOST) == (13, 5, 13)
    assert nouns(findings)[:5] == ["n0", "n1", "n2", "n3", "n4"]
    behind = folded(findings)
    assert [chapter for chapter, _ in behind] == ["c2", "c0", "c1"]
    assert sum(len(in_chapter) for _, in_chapter in behind) == 8


def test_no_chapter_has_a_second_headline_before_each_has_one():
    sections = [Titled(name, chapter=name[0]) for name in ("a1", "a2", "b1", "a3", "c1")]
    assert nouns(findings_of(sections, [], {}, [])) == ["a1", "b1", "c1", "a2", "a3"]

from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.verify.drift import Drift, compare_all
from embspace.verify.rules import read_tolerances
from tests.verify.tree import SCALARS, SUMMARY, TOLERANCES, compute, put

SUMMARY_FILE = "results/similarity/summary/small.csv"
SCALARS_FILE = "results/interrelations/small.json"


def drift(*models: str) -> Drift:
    tolerances, corpora = read_tolerances(), ("one", "two")
    return compare_all(Path("results"), models or ("small",), {}, (), corpora, tolerances)


def verdicts(checked: Drift) -> dict[str, str]:
    return {file.file.as_posix(): file.verdict for file in checked.files}


def test_equal_results_agree(tree: Path):
    assert verdicts(drift()) == {
        "interrelations/small.json": "agrees",
        "similarity/summary/small.csv": "agrees",
    }


def test_a_moved_number_is_found_in_csv(tree: Path):
    put(SUMMARY_FILE, SUMMARY.replace("1.5", "1.6"))
    assert verdicts(drift())["similarity/summary/small.csv"] == "DRIFTED"


def test_a_moved_number_is_found_in_json(tree: Path):
    put(SCALARS_FILE, SCALARS.replace("0.5", "0.51"))
    (file, _) = drift().files
    assert file.verdict == "DRIFTED"
    assert file.comparison is not None
    (fact,) = file.comparison.drifted
    assert (fact.row, fact.column, fact.result) == ((), "segment.norm_0", "0.51")


def test_a_missing_and_an_extra_file_are_found(tree: Path):
    Path(SUMMARY_FILE).rename("results/similarity/small.csv")
    assert verdicts(drift()) == {
        "interrelations/small.json": "agrees",
        "similarity/small.csv": "EXTRA",
        "similarity/summary/small.csv": "MISSING",
    }


def test_a_model_without_any_baseline_is_no_failure(tree: Path):
    put("results/similarity/summary/large.csv", SUMMARY)
    compared = drift("small", "large")
    assert verdicts(compared)["similarity/summary/large.csv"] == "no baseline"
    assert (compared.without_baseline, compared.without_results) == (("large",), ())


def test_a_model_that_was_not_run_is_named(tree: Path):
    compared = drift("small", "large")
    assert (compared.without_baseline, compared.without_results) == ((), ("large",))


def test_models_that_params_does_not_name_are_ignored(tree: Path):
    put("results/similarity/summary/large.csv", "malformed,\n1,2,3")
    put("tests/baselines/similarity/summary/huge.csv", SUMMARY)
    assert len(drift().files) == 2


def test_what_was_computed_here_and_what_git_brought(tree: Path):
    compute(SUMMARY_FILE, SUMMARY)
    here = {file.file.name: file.computed_here for file in drift().files}
    assert here == {"small.json": False, "small.csv": True}
    put(SUMMARY_FILE, SUMMARY.replace("1.5", "1.50"))  # an edit by hand is no computation
    assert not any(file.computed_here for file in drift().files)


def test_a_number_that_nobody_guards_is_an_error(tree: Path):
    put("results/similarity/summary/small.csv", SUMMARY.replace("mean", "median"))
    put("results/interrelations/small.json", '{"a": {"b": 1, "c": 2}}')
    message = (
        r"results/interrelations/small.json: no rule names a.b, a.c\n"
        r"results/similarity/summary/small.csv: no rule names median\n"
        "say in tests/baselines/tolerances.yaml of which kind each is, under `columns`"
    )
    with pytest.raises(InputError, match=message):
        drift()


def test_a_column_that_is_gone_with_its_rule_is_drift_and_no_error(tree: Path):
    # Otherwise a renamed column could never be updated.
    put("tests/baselines/similarity/summary/small.csv", SUMMARY.replace("mean", "median"))
    drifted = {file.file.name: file.verdict for file in drift().files}
    assert drifted["small.csv"] == "DRIFTED"


@pytest.mark.parametrize("folder", ["results", "tests/baselines"])
def test_a_malformed_file_is_named(tree: Path, folder: str):
    put(f"{folder}/interrelations/small.json", "{")
    with pytest.raises(InputError, match=f"{folder}/interrelations/small.json: is no JSON"):
        drift()


ROWS = "  space: row\n  corpus: row\n  other_corpus: row\n  tokens: row\n  statement: row\n"


@pytest.fixture
def with_corpora(tree: Path) -> None:
    """Rules for the tables of texts, and columns of them that all corpora share."""
    tolerances = Path("tests/baselines/tolerances.yaml")
    more = "  equal_n: count\n  verdict: count\n"
    tolerances.write_text(tolerances.read_text().replace("  space: row\n", ROWS + more))


TEXTS = "corpus,n,mean\none,3,1.5\n"


def put_texts(baseline: str, ours: str) -> None:
    put("tests/baselines/texts/small.csv", baseline)
    put("results/texts/small.csv", ours)


@pytest.mark.parametrize(
    ("baseline", "ours", "verdict", "new"),
    [
        (TEXTS, TEXTS + "two,4,0.5\n", "agrees", ("two",)),  # a corpus that was added
        (TEXTS + "other,4,0.5\n", TEXTS, "agrees", ()),  # one that params.yaml dropped
        (TEXTS, TEXTS.replace("1.5", "1.6"), "DRIFTED", ()),
        (TEXTS + "two,4,0.5\n", TEXTS, "DRIFTED", ()),  # one that should be there
    ],
)
def test_only_corpora_with_a_baseline_are_compared(
    with_corpora: None, baseline: str, ours: str, verdict: str, new: tuple[str, ...]
):
    put_texts(baseline, ours)
    reports = {file.file: file.verdict for file in drift().files}
    assert reports[Path("texts/small.csv")] == verdict
    assert drift().new_corpora == new


def put_both(file: str, baseline: str, ours: str) -> None:
    put(f"tests/baselines/{file}", baseline)
    put(f"results/{file}", ours)


def test_rows_about_two_corpora_need_both(with_corpora: None):
    pair = "corpus,other_corpus,n\none,one,1\n"
    put_both("texts/small.csv", pair + "one,gone,2\n", pair + "one,two,3\n")
    put_both("evolution/layers/small.csv", "tokens,n\ncat,1\ngone,2\n", "tokens,n\ncat,1\n")
    compared = drift()
    assert verdicts(compared)["texts/small.csv"] == "agrees"
    assert verdicts(compared)["evolution/layers/small.csv"] == "agrees"
    assert compared.new_corpora == ("two",)


def test_corpora_in_another_order_are_compared_but_not_their_pairs(with_corpora: None):
    tables = (
        f"corpus,other_corpus,n\n{a},{a},1\n{a},{b},2\n{b},{b},1\n"
        for a, b in (("two", "one"), ("one", "two"))
    )
    put_both("texts/small.csv", *tables)
    assert verdicts(drift())["texts/small.csv"] == "agrees"
    put("results/texts/small.csv", "corpus,other_corpus,n\none,one,1\ntwo,two,7\n")
    assert verdicts(drift())["texts/small.csv"] == "DRIFTED"


def test_what_all_corpora_share_is_compared_only_while_they_stay(with_corpora: None):
    put_both("texts/small.csv", TEXTS + "two,4,0.5\n", TEXTS + "two,4,0.5\n")
    put_both("text_maps/quality/small.csv", "space,n\nmap,9\n", "space,n\nmap,7\n")
    clouds = "corpus,n,equal_n\none,3,2\n"
    put_both("text_clouds/spectrum/small.csv", clouds, clouds.replace("2", "3"))
    joint = ["text_maps/quality/small.csv", "text_clouds/spectrum/small.csv"]
    compared = drift()
    assert {verdicts(compared)[file] for file in joint} == {"DRIFTED"}
    assert (compared.changed_corpora, compared.left_out) == ((), ())

    put("tests/baselines/texts/small.csv", TEXTS + "gone,4,0.5\n")
    put("results/texts/small.csv", TEXTS)
    compared = drift()
    assert [verdicts(compared)[file] for file in joint] == ["not compared", "agrees"]
    (corpora,) = compared.changed_corpora
    assert (corpora.before, corpora.now) == (("one", "gone"), ("one", "two"))
    assert dict(compared.left_out) == {
        Path("text_maps/quality/small.csv"): "all",
        Path("text_clouds/spectrum/small.csv"): "the columns equal_n*, null_*",
    }
    put("results/text_clouds/spectrum/small.csv", clouds.replace("3", "4"))
    assert verdicts(drift())["text_clouds/spectrum/small.csv"] == "DRIFTED"  # its own `n`


def test_rows_of_the_ledger_that_rest_on_other_corpora_are_not_compared(with_corpora: None):
    put(
        "data/published/thesis.yaml",
        "source: s\nprotocol: p\ndecided: {when: after results, why: so}\nentries:\n"
        "  - {quantity: q, model: any, file: results/x.csv, published: {n: '1'}}\nclaims:\n"
        + "".join(
            f"  - {{claim: {name}, section: '1', page: 1, statistic: s, holds_if: value > 0,\n"
            f"     cell: {{file: 'results/{file}/{{model}}.csv', value: n}}}}\n"
            for name, file in (("maps", "text_maps/quality"), ("tokens", "similarity"))
        ),
    )
    put_both("texts/small.csv", TEXTS + "gone,4,0.5\n", TEXTS)
    ledger = "statement,verdict\nmaps,differs\ntokens,matches\n"
    put_both("ledger/small.csv", ledger, ledger.replace("differs", "matches"))
    put_both("ledger/small.json", '{"n": 1}', '{"n": 0}')
    by_file = verdicts(drift())
    assert by_file["ledger/small.csv"] == "agrees"
    assert by_file["ledger/small.json"] == "not compared"
    put("results/ledger/small.csv", ledger.replace("tokens,matches", "tokens,differs"))
    assert verdicts(drift())["ledger/small.csv"] == "DRIFTED"


def test_a_table_that_lost_all_its_rows_has_no_columns_to_compare(with_corpora: None):
    # Of one corpus alone there is no separation; its table then has its keys.
    put_both("texts/small.csv", "corpus,n,mean\ngone,4,0.5\n", "corpus,n\n")
    assert verdicts(drift())["texts/small.csv"] == "agrees"
    put_both("texts/small.csv", TEXTS, "corpus,n\n")
    assert verdicts(drift())["texts/small.csv"] == "DRIFTED"


def test_a_pair_is_held_against_its_own_baseline_and_a_new_one_against_none(tree: Path):
    pair, new = "summary/small--large.csv", "summary/small--huge.csv"
    for model in ("large", "huge"):
        put_both(f"similarity/summary/{model}.csv", SUMMARY, SUMMARY)
    put_both(pair, SUMMARY, SUMMARY)
    put(f"results/{new}", SUMMARY)
    models = ("small", "large", "huge")
    alone = verdicts(drift(*models))
    assert pair not in alone and new not in alone
    compared = drift(*models, "small--large", "small--huge")
    assert verdicts(compared)[pair] == "agrees"
    assert verdicts(compared)[new] == "no baseline"
    assert compared.without_baseline == ("small--huge",)
    put(f"results/{pair}", SUMMARY.replace("1.5", "1.6"))
    assert verdicts(drift(*models, "small--large"))[pair] == "DRIFTED"
    Path("results", pair).unlink()
    assert drift(*models, "small--large").without_results == ("small--large",)


def test_rows_of_what_is_neither_profiled_nor_trained_are_not_missed(tree: Path):
    rules = TOLERANCES.replace("columns:\n", "columns:\n  name: row\n", 1)
    put("tests/baselines/tolerances.yaml", rules)
    file = "encoders_decoders/small.csv"
    put(f"tests/baselines/{file}", "name,mean\nsmall,1\nlarge,2\nrun,3\n")
    put(f"results/{file}", "name,mean\nsmall,1\nmine,4\n")

    def verdict(*trained: str) -> str:
        models = ("small", *trained)
        compared = compare_all(
            Path("results"), models, {"profiled": ["small"]}, trained, ("one",), read_tolerances()
        )
        return verdicts(compared)[file]

    assert verdict() == verdict("mine") == "agrees"
    assert verdict("run") == "DRIFTED"
    put(f"results/{file}", "name,mean\nsmall,1\nrun,3.1\n")
    assert verdict("run") == "DRIFTED"
    put(f"results/{file}", "name,mean\nsmall,1\nrun,3\n")
    assert verdict("run") == "agrees"


def test_a_baseline_of_a_table_about_several_models_asks_for_no_others(tree: Path):
    rules = TOLERANCES.replace("columns:\n", "columns:\n  name: row\n", 1)
    put("tests/baselines/tolerances.yaml", rules)
    beside, own = "encoders_decoders/late.csv", "similarity/summary/late.csv"
    for folder in ("results", "tests/baselines"):
        put(f"{folder}/{beside}", "name,mean\nlate,1\n")
    put(f"results/{own}", SUMMARY)
    compared = compare_all(
        Path("results"), ["late"], {"profiled": ["late"]}, (), ("one",), read_tolerances()
    )
    assert verdicts(compared) == {beside: "agrees", own: "no baseline"}
    assert compared.without_baseline == ("late",)

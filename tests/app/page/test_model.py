import re
import shutil
from html import unescape
from pathlib import Path

import pytest

from embspace.app.page.fragment import Fragment, policy_of
from embspace.app.page.model import Progress, _question, page_of
from embspace.app.page.nouns import drawn_nouns, layer_nouns, nouns_of_page
from embspace.app.page.pictures import subtitle_in, title_in
from embspace.app.page.provenance import corpora_of
from embspace.app.paper import known_figures
from embspace.draw.page.canvas import new_figure, use_style
from embspace.draw.page.markdown import pointer_apart, with_pointer
from embspace.files.tables import load_table
from embspace.settings.schema import read_yaml
from tests.app.page.trees import write_model_tree


@pytest.fixture(scope="module")
def whole(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What git has of the default model, and a stand-in for the rest; treat it as read-only."""
    return write_model_tree(root, tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="module")
def page(whole: Path) -> str:
    """The page of that tree, which takes seconds to make."""
    return page_of(whole, "minilm")


@pytest.fixture
def tree(whole: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return shutil.copytree(whole, tmp_path, dirs_exist_ok=True)


def test_the_page_has_every_analysis_and_asks_nobody(whole: Path, page: str):
    for noun in drawn_nouns():
        assert f'<section id="{noun}" class="part">' in page
        assert f'href="#{noun}"' in page
    drawings = known_figures()
    elsewhere = {noun: drawings[noun][1].drawn_in for noun in drawn_nouns()}
    own = [noun for noun, figure in elsewhere.items() if not figure]
    assert page.count('src="data:image/svg+xml,') == len(own) < len(elsewhere)
    for noun, figure in elsewhere.items():
        section = page.partition(f'<section id="{noun}" class="part">')[2]
        section = section.partition("</section>")[0]
        assert (f'See also: <a href="#{figure}">' in section) == bool(figure)
    outside = re.findall(r"""(?:src|href)=["']?(?!data:|#)([^"'> ]+)""", page)
    assert all(path.startswith(("data/drawn/", "results/")) for path in outside)
    assert all((whole / path).is_file() for path in outside)
    assert "@import" not in page
    assert "url(" not in page.split("</style>")[0]


def test_the_contents_are_by_chapter_and_do_not_repeat_the_model(page: str):
    contents = page.split("<nav")[1].split("</nav>")[0]
    assert re.findall(r"<p>(.*?)</p>", contents) == [
        "Learned vectors",
        "Positions",
        "Words",
        "Sentences",
        "Texts",
        "Attention",
        "Publications",
        "Provenance",
    ]
    assert contents.count("MiniLM-L6") == 2  # in the head, and what was decided of it
    assert '<a href="#pca">Maps by PCA</a>' in contents
    assert ">Norm and cosine with the mean, by kind of token<" in contents
    assert contents.index("<p>Texts</p>") < contents.index("#search") < contents.index("#ledger")


def test_a_label_in_the_contents_may_hold_any_letters(tree: Path):
    file = tree / "conf/model/minilm.yaml"
    file.write_text(re.sub("(?m)^label: .*$", "label: 'a <of> (b)'", file.read_text()))
    tables = tree / "figures/pca/minilm.md"
    tables.write_text(tables.read_text().replace("MiniLM-L6", r"a \<of\> (b)"))
    contents = page_of(tree, "minilm").split("<nav")[1].split("</nav>")[0]
    assert '<a href="#pca">Maps by PCA</a>' in contents
    assert contents.count("a &lt;of&gt; (b)") == 2
    assert ">Maps of MiniLM-L6 by UMAP<" in contents  # written of another label


TITLED = """<svg>
 <g id="figure_1">
  <g id="axes_1">
   <g id="text_1">
    <text style="font-weight: 700; font-size: 7px" x="1">a panel</text>
   </g>
  </g>
  <g id="text_2">
   <text style="font-weight: 700; font-size: 10px" x="1">Tokens &lt;b&gt; are longer</text>
   <text style="font-weight: 700; font-size: 10px" x="1">than positions</text>
  </g>
  <g id="subtitle">
   <text style="font-size: 7px" x="1">MiniLM-L6 · 12 &lt; 13 texts</text>
  </g>
  <g id="text_3">
   <text style="font-size: 7px" x="1">measure_x</text>
  </g>
 </g>
</svg>
"""


def test_the_title_of_a_figure_is_found_in_its_file():
    assert title_in(TITLED) == "Tokens <b> are longer than positions"
    assert (title_in("<svg/>"), subtitle_in("<svg/>")) == ("", "")


def test_title_and_subtitle_are_found_as_figures_are_saved(tmp_path: Path):
    use_style()
    below = "n < 3 & more · of them " * 8
    long = "Positions wind & turn " * 6
    figure, _ = new_figure(1, 2, height_mm=60, title=long, subtitle=below, stage="measure_x")
    figure.savefig(tmp_path / "a.svg", metadata={"Title": "x"})
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert (title_in(drawn), subtitle_in(drawn)) == (long.strip(), below.strip())


def test_the_page_begins_with_the_findings_those_of_own_texts_first(tree: Path, page: str):
    assert "Tokens &lt;b&gt;" not in page
    for noun, chapter in {
        "helix": "positional",
        "text_clouds": "texts",
        "ledger": "ledger",
    }.items():
        drawn = tree / f"data/drawn/{chapter}/minilm/{noun}.svg"
        assert drawn.is_file()
        drawn.write_text(TITLED.replace("longer", noun))
    drawn_of_others = tree / "data/drawn/texts/minilm/tasks.svg"
    drawn_of_others.write_text(TITLED.replace("longer", "tasks"))
    nothing = TITLED.replace("Tokens &lt;b&gt; are longer", "The texts").replace(
        "than positions", "of one corpus"
    )
    (tree / "data/drawn/texts/minilm/text_maps.svg").write_text(nothing)
    for tables in (tree / "figures").glob("*/minilm.md"):  # findings without a figure
        if pointer_apart(tables.read_text())[1]:
            tables.write_text(with_pointer("# Tables\n", "No finding", "tasks", "minilm"))
    for own_texts, said in (
        (False, ["helix", "text_clouds", "tasks"]),
        (True, ["text_clouds", "helix", "tasks"]),
    ):
        page = page_of(tree, "minilm", own_texts=own_texts)
        listed = page.split('id="findings"')[1].split("</section>")[0]
        nouns = re.findall(r'<a href="#(\w+)">Tokens &lt;b&gt; are (\w+) than', listed)
        in_order = [noun for noun, _ in nouns]
        assert in_order == said if own_texts else {*in_order} == {*said}  # numbers may be unusual
        assert page.index('id="findings"') < page.index('<section id="pca"')
        assert "of one corpus" not in listed
        assert listed.count('<span class="quiet">12 &lt; 13 texts</span>') == len(said)
        counted = r'<a href="#ledger">Of \d+ published claims on encoders in English that this '
        assert re.search(counted, listed)


def test_an_analysis_without_results_is_a_line_at_the_end_with_its_reason(tree: Path):
    homonyms = tree / "data/drawn/words/minilm/homonyms.svg"
    homonyms.write_text(
        TITLED.replace("Tokens &lt;b&gt; are longer", "No homonym").replace("than positions", "")
    )
    for file in (tree / "results/homonyms").rglob("*.csv"):
        file.write_text(file.read_text().splitlines()[0] + "\n")
    page = page_of(tree, "minilm")
    assert '<section id="homonyms"' not in page
    assert 'href="#homonyms"' not in page.split("</nav>")[0]
    without = page.split('<section id="without">')[1].split("</section>")[0]
    assert re.search(r'<li><span id="homonyms">.*</span>: No homonym *</li>', without)
    assert page.index('id="without"') > page.index('<section id="ledger"')


def test_a_section_opens_with_its_question_and_folds_its_stage(page: str):
    section = page.split('<section id="helix"')[1].split("</section>")[0]
    opening, _, rest = section.partition("<figure>")
    assert "<strong>Do the positions wind, and how fast?</strong> " in opening
    shown, _, below = rest.partition("<details><summary>Stage and settings</summary>")
    assert "measure_helix" not in shown
    assert "<code>measure_helix</code>" in below


def test_a_section_that_reads_other_texts_names_them(tree: Path, page: str):
    parts = re.findall(r'<section id="(\w+)" class="part">(.*?)</section>', page, re.DOTALL)
    files = {noun: re.search("for this section: <code>(.*?)</code>", part) for noun, part in parts}
    on_articles = ("head_features", "head_map", "attention_patterns", "word_order")
    assert {noun: file[1] for noun, file in files.items() if file} == {
        **dict.fromkeys(("tasks", "text_classification"), "data/texts/reviews.jsonl"),
        **dict.fromkeys(on_articles, "data/texts/articles.jsonl"),
    }
    chapters = re.findall(r"<p>(Texts.*)</p>", page.split("</nav>")[0])
    assert chapters == ["Texts"]
    own = page_of(tree, "minilm", own_texts=True).split("</nav>")[0]
    assert re.findall(r"<p>(Texts.*|Stimuli|Words|Publi.*)</p>", own)[-2:] == [
        "Stimuli",
        "Publications",
    ]
    assert own.index("#homonyms") > own.index("#text_clouds")
    assert own.index("<p>Stimuli") < own.index('href="#text_classification"')


def test_the_page_recommends_what_can_be_typed(tree: Path, page: str):
    corpus = read_yaml(tree / "params.yaml")["corpora"][0]
    page = unescape(page)
    assert f'embspace cosine minilm "a text" "another" --corpus {corpus}</code>' in page
    named = unescape(page_of(tree, "minilm", written=("./my model",)))
    assert f'cosine \'./my model\' "a text" "another" --corpus {corpus}</code>' in named
    named = unescape(page_of(tree, "minilm", written=("minilm", "my.csv", "posts")))
    assert 'cosine minilm "a text" "another" --corpus my.csv</code>' in named


OWN = "label: mine\nlicense: unknown\nlanguage: unknown\n"


@pytest.mark.parametrize(
    ("kind", "keys", "written", "expected"),
    [
        ("corpus", "", ("./m", "a b.csv"), "./m 'a b.csv'"),
        ("corpus", "group_column: label\n", ("m", "b.csv"), "m b.csv"),
        ("corpus", "text_column: body\n", ("m", "b.csv"), "report t"),
        ("corpus", "separator: ;\n", ("m", "b.csv"), "report t"),
        ("corpus", "", ("m", "t"), "report t"),  # a file without an ending
        ("model", "tokenizer: {source: path}\n", ("./m",), "report t"),
        ("model", "", ("./m",), "./m t"),
    ],
)
def test_a_question_reads_texts_and_model_as_the_report_does(
    tmp_path: Path, kind: str, keys: str, written: tuple[str, ...], expected: str
):
    folder = tmp_path / "report"
    for other, name in (("model", "m"), ("corpus", "t")):
        file = folder / f"conf/{other}/{name}.yaml"
        file.parent.mkdir(parents=True)
        file.write_text(OWN + keys if other == kind else "license: x\nlanguage: x\n")
    model, _, texts = expected.partition(" ")
    assert _question(folder, "m", written, "t") == (
        f'embspace cosine {model} "a text" "another" --corpus {texts}'
    )


def test_a_page_of_own_texts_is_titled_by_their_files(tree: Path, page: str):
    assert "<title>Embedding spaces of MiniLM-L6</title>" in page
    labels = [corpus["label"] for corpus in corpora_of(tree, "minilm")]
    own = unescape(page_of(tree, "minilm", own_texts=True))
    assert f"<title>Embedding spaces of MiniLM-L6 on {', '.join(labels)}</title>" in own


def test_methods_stand_behind_a_fold_with_their_references(tree: Path, page: str, root: Path):
    assert 'id="methods"' not in page  # of a tree without CITATION.cff
    shutil.copy(root / "CITATION.cff", tree)
    folded = page_of(tree, "minilm").split('<details id="methods">')[1].split("</details>")[0]
    assert '<a href="#helix">helix</a>: ' in folded and '<a href="#search">search</a>: ' in folded
    assert "MiniLM-L6" in folded
    assert folded.count("All was computed by the stages of embspace") == 1
    assert folded.count("@misc{embspace,") == 1 and "@mastersthesis{luisto2024," in folded
    assert "[@" not in folded


def test_a_browser_is_told_to_load_nothing_from_elsewhere(page: str):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy and policy[1].startswith("default-src 'none'; img-src data:;")
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 1  # the filter of the ledger
    assert policy[1] == policy_of(scripts)


def test_an_explorer_stands_behind_the_findings_and_its_script_alone_may_run(whole: Path):
    script = "const less = 1 < 2 && 'a';"
    inert = '<script type="application/json" id="some-data">[1]</script>'
    part = Fragment(html="<h2>Maps</h2>", style=".map { top: 0 }", scripts=[script], data=inert)
    page = page_of(whole, "minilm", explorer=part)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert scripts[1:] == [script]
    assert policy_of(scripts) in page
    assert f"{inert}\n<script>" in page
    assert page.index(".map { top: 0 }") < page.index("</style>")
    assert page.index('<section id="explore">') < page.index('<section id="scale">')
    assert page.index("<h2>Maps</h2>") < page.index('<section id="pca"')


def test_a_profiled_model_has_its_layers_on_the_page(tree: Path, page: str):
    assert not set(layer_nouns()) & set(re.findall(r'<section id="(\w+)"', page))
    whole = page_of(tree, "minilm", nouns=nouns_of_page())
    sections = re.findall(r'<section id="(\w+)"', whole)
    n_layers = len(layer_nouns())
    assert sections[-2 - n_layers : -2] == [*layer_nouns()]  # before the ledger and the model
    assert sections[-2:] == ["ledger", "provenance"]


def test_labels_are_spoken_of_where_the_page_has_their_section(tree: Path):
    own = "label: my.csv\nlicense: unknown\nlanguage: unknown\nsource: file\ngroup_column: "
    for name, column in {"posts": "mood", "sentences": "topic"}.items():  # with labels and without
        (tree / f"conf/corpus/{name}.yaml").write_text(own + column)
    results = tree / "results/layer_choice/minilm.csv"
    assert "labels" in set(load_table(str(results)).query("corpus == 'posts'")["task"])
    line, silent = "labels of my.csv (posts)", "nothing is said of the labels in column 'topic'"
    page = page_of(tree, "minilm", nouns=["layer_choice"])
    assert line in page.split('id="findings"')[1].split("</section>")[0] and silent in unescape(
        page
    )
    page = page_of(tree, "minilm", nouns=["similarity"])
    assert line not in page and silent not in unescape(page)
    results.write_text(results.read_text().splitlines()[0] + "\n")
    page = unescape(page_of(tree, "minilm", nouns=["layer_choice"]))
    assert silent in page and '<section id="layer_choice"' not in page


def test_a_page_that_is_being_filled_says_so_and_loads_itself_again(whole: Path, page: str):
    progress = Progress("It runs.", ["direction", "text_maps"], {"--all": ["ledger"]}, 15)
    filling = page_of(whole, "minilm", nouns=["search"], progress=progress)
    assert '<meta http-equiv="refresh" content="15">' in filling
    assert '<p role="status"><strong>It runs.</strong></p>' in filling
    assert "<h2>Being computed</h2>\n<p>direction, text maps</p>" in filling
    assert "<li><code>--all</code> adds ledger</li>" in filling
    assert re.findall(r'<section id="(\w+)" class="part"', filling) == ["search"]
    for part in ('http-equiv="refresh"', 'role="status"', 'id="waiting"', 'id="left_out"'):
        assert part not in page


def test_a_page_begins_without_any_result(root: Path, tmp_path: Path):
    shutil.copytree(root / "conf", tmp_path / "conf")
    shutil.copy(root / "params.yaml", tmp_path)
    begun = page_of(tmp_path, "minilm", nouns=[], progress=Progress("It begins.", ["search"]))
    assert "It begins." in begun and "<h2>Not computed</h2>" in begun


def test_the_page_says_of_what_it_is(whole: Path, page: str):
    assert "<title>Embedding spaces of MiniLM-L6</title>" in page
    assert "1.2.3" in page
    assert "00ff" in page
    assert "4,321" in page
    assert "conf/measure/learned/similarity.yaml" in page
    assert str(whole) not in page


def test_the_page_says_how_many_texts_were_halved(page: str):
    assert re.search(r"<code>articles</code></td>\s*<td[^>]*>0</td>\s*<td[^>]*>228</td>", page)
    assert re.search(r"<code>posts</code></td>\s*<td[^>]*>4,321</td>\s*<td[^>]*>0</td>", page)
    assert "texts of 4 sentences" in page


def test_the_same_tree_gives_the_same_page(tree: Path, page: str):
    assert page_of(tree, "minilm") == page

import re

from embspace.app.page.html import as_html

TABLE = """# Tokens of X

Stage `measure_x`.

## Extremes

| token     | n   | cosine             | remark |
|-----------|-----|--------------------|--------|
| `<b>`     | 12  | -1.26 × 10⁻¹¹      | a \\| b |
| `&amp;`   | –   | 0.5 [0.4, 0.6]     | 3 of 4 |
"""


def test_headings_go_one_down_and_the_first_is_the_title():
    title, html = as_html(TABLE)
    assert title == "Tokens of X"
    assert "<h3>Extremes</h3>" in html
    assert "<h2>" not in html


def test_no_picture_comes_of_a_table():
    title, html = as_html("# Of ![x](http://127.0.0.1:9/a.png)\n\n![y](http://127.0.0.1:9/b.png)\n")
    assert "<img" not in title + html


def test_tokens_are_text_and_numbers_stand_to_the_right():
    _, html = as_html(TABLE + "\n<script>alert(1)</script>\n")
    assert "<td><code>&lt;b&gt;</code></td>" in html
    assert "<code>&amp;amp;</code>" in html
    assert "<script>" not in html
    assert re.findall(r'<td class="number">([^<]*)</td>', html) == [
        "12",
        "-1.26 × 10⁻¹¹",
        "–",
        "0.5 [0.4, 0.6]",
    ]
    assert "<td>a | b</td>" in html
    assert html.count('<div class="scrolled"') == html.count("</table></div>") == 1


FOLDED = """# Tokens of X

| token |
|-------|
| `a`   |

<details>
<summary>More</summary>

## Rest

| token              |
|--------------------|
| `<details>`        |
| \\<details> <b>b</b> |

</details>
"""


def test_the_fold_of_a_figures_tables_is_one_and_no_other_html_is():
    _, html = as_html(FOLDED)
    before, behind = html.split("<details>\n<summary>More</summary>")
    assert "<code>a</code>" in before
    assert "<h3>Rest</h3>" in behind and behind.rstrip().endswith("</details>")
    assert "<p><details>" not in html and "<p></details>" not in html
    assert "<code>&lt;details&gt;</code>" in behind
    assert "&lt;details&gt; &lt;b&gt;b&lt;/b&gt;" in behind
    _, html = as_html(FOLDED.removesuffix("</details>\n"))
    assert "<details>" not in html  # it would swallow what follows on the page

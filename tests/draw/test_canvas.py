from matplotlib import rcParams

from embspace.draw.canvas import count, new_figure, use_style


def test_a_figure_names_its_stage_and_what_was_measured():
    figure, axes = new_figure(
        2, 3, height_mm=100.0, title="Title", subtitle="tiny · 3 tokens", stage="measure_x"
    )
    assert len(axes) == 6
    assert figure.get_supxlabel() == "measure_x → draw"
    assert figure.get_suptitle().strip() == "Title"
    assert "tiny · 3 tokens" in [text.get_text() for text in figure.texts]
    assert round(figure.get_size_inches()[0] * 25.4) == 170


def test_the_style_beats_what_was_set_before():
    rcParams["svg.hashsalt"] = None
    rcParams["font.size"] = 30
    use_style()
    assert rcParams["svg.hashsalt"] == "embspace"
    assert rcParams["font.size"] == 8


def test_counts_have_separators():
    assert count(30522.0) == "30,522"

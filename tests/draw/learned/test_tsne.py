from embspace.draw.learned.tsne import draw_tsne
from embspace.project.tsne import TSNE, project_tsne
from tests.analyses import as_drawn
from tests.project import settings
from tests.project.groups import projected


def test_the_tables_have_the_stage_and_the_seeds():
    tables = projected(project_tsne, settings.TSNE)
    finding, text = draw_tsne(as_drawn(TSNE, tables), "tiny", digits=3)
    assert finding.startswith("t-SNE keeps at best ")
    assert "Stage `project_tsne`" in text
    assert "## What the seed does" in text
    assert f"{tables['seeds']['neighbor_overlap'].iloc[0]:.3f}" in text
    assert "## One-dimensionality by seed" in text

from embspace.draw.learned.umap import draw_umap
from embspace.project.umap import UMAP, project_umap
from tests.analyses import as_drawn
from tests.project import settings
from tests.project.groups import projected


def test_the_tables_have_the_stage_and_the_seeds():
    tables = projected(project_umap, settings.UMAP)
    finding, text = draw_umap(as_drawn(UMAP, tables), "tiny", digits=3)
    assert finding.startswith("UMAP keeps at best ")
    assert "Stage `project_umap`" in text
    assert "## What the seed does" in text
    assert f"{tables['seeds']['neighbor_overlap'].iloc[0]:.3f}" in text
    assert "## One-dimensionality by seed" in text

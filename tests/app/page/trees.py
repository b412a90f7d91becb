"""Trees for pages: small ones with hostile words, and what git has of the default model."""

import shutil
from pathlib import Path

import pandas as pd

from embspace.app.page.nouns import drawn_nouns, layer_nouns

HOSTILE = "<script>alert(1)</script>\u202eabc\u202c שלום"
FILES = {
    "params.yaml": "models: [a]\ncorpora: [t]\ncompared: {'a--b': {model: a, other_model: b}}\n"
    "trained: []\n",
    "dvc.yaml": "stages: {}\n",
    "conf/model/a.yaml": "label: A\n",
    "conf/model/b.yaml": "label: B\n",
    "conf/train/r.yaml": f'label: "{HOSTILE}"\ncorpus: t\n',
    "conf/corpus/t.yaml": f'label: "{HOSTILE}"\n',
    "conf/measure/runs/drift.yaml": "window: 3\n",
    "pipeline/runs/dvc.yaml": "stages: {measure_drift: {matrix: {run: '${trained}'}, cmd: 'true', "
    "outs: ['results/drift/${item.run}.csv']}}\n",
    "results/drift/r.csv": "step,value\n1,0.5\n",
    "results/claims_of_it/r.csv": f'claim,verdict\n"{HOSTILE}",matches\nother,not checkable\n',
    "results/lonely/r.csv": "step,value\n",
    "results/alike/a--b.csv": "layer,value\n0,0.25\n",
    "results/search/a.csv": "corpus,value\nt,0.125\nu,0.75\n",
    "results/provenance.json": '{"r": {"processor": "x86", "simd": ["one", "two"]}}',
    "figures/drift/all_runs.md": f"# Drift\n\n| token |\n|---|\n| `{HOSTILE}` |\n",
    "figures/lonely/all_runs.md": "# Of other runs\n",
    "figures/alike/a--b.md": "# Likeness of A and B\n\nStage `compare_alike`.\n",
    "data/drawn/runs/all_runs/drift.pdf": "%PDF",
    "data/drawn/runs/all_runs/drift.svg": """<svg>
 <g id="figure_1">
  <g id="text_2">
   <text style="font-weight: 700; font-size: 10px" x="1">&lt;script&gt; drifts</text>
  </g>
 </g>
</svg>
""",
}
PICTURES = ("drift/all_runs", "lonely/all_runs", "alike/a--b")


def write_tree(folder: Path) -> Path:
    for place, text in FILES.items():
        file = folder / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for picture in PICTURES:
        (folder / f"figures/{picture}.png").write_bytes(b"\x89PNG")
    return folder


def write_model_tree(root: Path, folder: Path, *, svg: str = "<svg/>") -> Path:
    """Write what git has of the default model, and a stand-in for the rest: one SVG for all."""
    for part in ("conf", "data/published", "figures", "results"):
        shutil.copytree(root / part, folder / part)
    shutil.copy(root / "params.yaml", folder)
    pin = folder / "data/prepared/model/minilm.json"
    pin.parent.mkdir(parents=True)
    pin.write_text('{"source": "package", "version": "1.2.3", "sha256": {"a.txt": "00ff"}}')
    for noun, chapter in (drawn_nouns() | layer_nouns()).items():
        for suffix in ("svg", "pdf", "tex"):
            drawn = folder / f"data/drawn/{chapter}/minilm/{noun}.{suffix}"
            drawn.parent.mkdir(parents=True, exist_ok=True)
            drawn.write_text(svg)
    texts = folder / "data/prepared/texts/posts.parquet"
    texts.parent.mkdir(parents=True)
    names = [str(number) for number in range(4321)]
    columns = {"id": names, "document": names, "text": "a post", "copy_of": names}
    pd.DataFrame(columns).to_parquet(texts)
    return folder

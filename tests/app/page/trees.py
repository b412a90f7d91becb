"""Small trees with results of a run, a pair and a corpus, some of them with hostile words."""

from pathlib import Path

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

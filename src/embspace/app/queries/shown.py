"""Classes and HTML to display answers and tables in a notebook."""

from collections.abc import Mapping
from html import escape

import pandas as pd


class ShownAsText:
    """Gives a class with lines for a terminal the same lines in a notebook."""

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


class ShownTables(dict[str, pd.DataFrame]):
    """Holds tables by name; a notebook shows every table below the name."""

    def _repr_html_(self) -> str:
        return "".join(
            f"<h4>{escape(name)}</h4>{table.to_html(max_rows=10, na_rep='')}"
            for name, table in self.items()
        )


def as_list(title: str, rows: Mapping[str, str]) -> str:
    """Return HTML of a table of two columns, names and descriptions, below a title."""
    cells = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(content)}</td></tr>"
        for name, content in rows.items()
    )
    return f"<b>{escape(title)}</b><table>{cells}</table>"

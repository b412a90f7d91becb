"""Writes several tables with headings and notes as a single page."""

import pandas as pd

from embspace.draw.page.markdown import markdown_table, section, tables_page

PartOfPage = tuple[str, str, pd.DataFrame]
"""Heading, note (or nothing), and a table with headings for readers."""


def page_of_parts(title: str, stage: str, digits: int, *parts: PartOfPage) -> str:
    """Return a page with the stage and the first part, and all further parts behind a fold.

    `digits` after the point are as in `markdown_table`.
    """
    first, *more = [
        section(heading, note, markdown_table(table, digits)) for heading, note, table in parts
    ]
    return tables_page(title, stage, first, *more)

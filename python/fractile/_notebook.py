"""Shows results in notebooks."""

from __future__ import annotations

import html

#: The most bytes of a cell. A notebook holds all its cells, and sends them to each browser that opens it.
_MOST_BYTES = 1_000_000
#: The most lines of the table that is shown in place of a larger page.
_LINES = 40


def in_frame(page: str, title: str, table: str) -> str:
    """The page in a separate frame, so that its style does not affect the notebook. If the page is too large: the first lines of its table,
    and how to get the page."""
    frame = f'style="width:100%;height:40em;border:1px solid #8888;background:#fff" sandbox="" title="{title}"'
    cell = f'<iframe srcdoc="{html.escape(page, quote=True)}" {frame}></iframe>'
    if len(cell.encode("utf-8", "replace")) <= _MOST_BYTES:
        return cell
    lines = table.splitlines()
    shown = html.escape("\n".join(line[:200] for line in lines[:_LINES]))
    more = f"<p>and {len(lines) - _LINES:,} more lines</p>" if len(lines) > _LINES else ""
    way = "<code>to_html()</code> gives the whole page, for a file"
    return f"<p>{title} has a page of {len(page) / 1e6:.0f} MB; {way}.</p><pre>{shown}</pre>{more}"


def unpaid(what: str) -> str:
    """The note above a result that no ledger has paid for."""
    return f"<p><strong>This {what} was entered in no ledger</strong>: nothing adds up what was spent.</p>"

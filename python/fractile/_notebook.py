"""How results show themselves in notebooks."""

from __future__ import annotations

import html


def in_frame(page: str, title: str) -> str:
    """The page, in a frame of its own, so that its style does not reach the notebook's."""
    frame = f'style="width:100%;height:40em;border:1px solid #8888;background:#fff" sandbox="" title="{title}"'
    return f'<iframe srcdoc="{html.escape(page, quote=True)}" {frame}></iframe>'


def unpaid(what: str) -> str:
    """What stands above a result that no ledger has paid for."""
    return f"<p><strong>This {what} was entered in no ledger</strong>: nothing adds up what was spent.</p>"

"""Files within a page: links that hold what they lead to."""

from __future__ import annotations

import base64
import gzip
from dataclasses import dataclass

from evaluator.report.page import Link

LONGEST = 1_500_000
"""Some browsers follow no link of more than two million characters."""


@dataclass(frozen=True)
class DataLink:
    """A link that can be put into a page.

    Attributes:
        name: Of the file that is saved.
        target: The file as a `data:` URI; "" if it is too large for any.
        size: Of the file as it is saved, in bytes.
    """

    name: str
    target: str
    size: int


def data_link(link: Link) -> DataLink:
    """A file as a link: compressed where it would be too long otherwise."""
    file = link.name.rpartition("/")[2]
    if len(link.content) * 4 / 3 <= LONGEST:
        return DataLink(file, _target(link.media, link.content), len(link.content))
    packed = gzip.compress(link.content, mtime=0)
    if len(packed) * 4 / 3 <= LONGEST:
        return DataLink(f"{file}.gz", _target("application/gzip", packed), len(packed))
    return DataLink(file, "", len(link.content))


def _target(media: str, content: bytes) -> str:
    return f"data:{media};base64,{base64.b64encode(content).decode('ascii')}"

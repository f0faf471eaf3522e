"""White space that other programs stumble over."""

from __future__ import annotations

from collections.abc import Iterator

from models.description import Description
from models.findings import Finding, warning


def check_text(description: Description) -> Iterator[Finding]:
    """Vectors whose numbers are parted by tabs or line breaks, counted."""
    odd = description.source.odd_vectors
    if odd:
        yield warning(
            "text of the file",
            f"{len(odd)} vectors with unusual white space, the first is {odd[0]}",
            "numbers should be parted by blanks; read as if they were",
        )

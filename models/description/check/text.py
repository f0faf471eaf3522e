"""Texts that are no robot file yet, and white space that programs stumble over."""

from __future__ import annotations

import re
from collections.abc import Iterator

from models.description.findings import Finding, error, warning
from models.description.reading import Description
from models.description.urdf_source import XACRO_RULE

_EXPRESSION = re.compile(r"\$\{.*?\}|\$\(.*?\)")
"""${value} and $(find package)."""


def check_text(description: Description) -> Iterator[Finding]:
    """Vectors whose numbers are parted by tabs or line breaks, counted."""
    odd = description.source.odd_vectors
    if odd:
        yield warning(
            "text of the file",
            f"{len(odd)} vectors with unusual white space, the first is {odd[0]}",
            "numbers should be parted by blanks; read as if they were",
        )


def check_expanded(description: Description) -> Iterator[Finding]:
    """The one error of an unprocessed xacro, whose values are not there yet."""
    root = description.source.root
    macros = [e.tag for e in root.iter() if "xacro}" in e.tag]
    values = [
        v for e in root.iter() for v in e.attrib.values() if _EXPRESSION.search(v)
    ]
    if macros or values:
        first = values[0] if values else f"xacro:{macros[0].rpartition('}')[2]}"
        count = f"{len(macros)} xacro: elements, {len(values)} unexpanded values"
        value = f"an unprocessed xacro ({count}; the first is {first!r})"
        yield error("text of the file", value, XACRO_RULE)

"""The page's files, read once: nothing else can be asked for."""

from __future__ import annotations

import hashlib
import importlib.resources
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources.abc import Traversable

CONTENT_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
INDEX = "index.html"


@dataclass(frozen=True, kw_only=True)
class Asset:
    """A file as it is sent.

    Attributes:
        body: Its bytes.
        content_type: Media type.
        tag: Strong entity tag, changes with the body.
    """

    body: bytes
    content_type: str
    tag: str


def asset(body: bytes, content_type: str) -> Asset:
    """An asset with its tag."""
    tag = hashlib.sha256(body).hexdigest()[:16]
    return Asset(body=body, content_type=content_type, tag=tag)


def page_assets() -> dict[str, Asset]:
    """Every file of the page by path, `/` being the page itself."""
    folder = importlib.resources.files("teleop.web") / "static"
    assets = dict(_below(folder, ""))
    assets["/"] = assets.pop(f"/{INDEX}")
    return assets


def _below(folder: Traversable, path: str) -> Iterator[tuple[str, Asset]]:
    for entry in folder.iterdir():
        name = f"{path}/{entry.name}"
        if entry.is_dir():
            yield from _below(entry, name)
            continue
        content_type = CONTENT_TYPES.get(name[name.rfind(".") :])
        if content_type:
            yield name, asset(entry.read_bytes(), content_type)

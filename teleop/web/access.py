"""Who may open a socket: whoever has the address that was printed."""

from __future__ import annotations

import hmac
import secrets
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without what looks alike, for whoever has to type it on a headset."""
LENGTH = 12
"""59 bits: at ten tries a second a guess takes a billion years."""
PARAMETER = "token"


def new_token() -> str:
    """A random token for one session."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def is_admitted(token: str | None, asked: str | None) -> bool:
    """Whether a request shows the session's token; always so where there is none.

    Takes as long for a token that is nearly right as for any other.
    """
    if token is None:
        return True
    return hmac.compare_digest(token.encode(), (asked or "").encode())


def with_token(url: str, token: str | None) -> str:
    """Address of a page with its token, behind the # that browsers keep to themselves.

    It is in no request for the page, and in no server's or proxy's log.
    """
    return url if token is None else f"{url}#{urlencode({PARAMETER: token})}"


def socket_url(url: str) -> str:
    """Address of the socket that belongs to the address of a page."""
    parts = urlsplit(url)
    tokens = parse_qs(parts.fragment or parts.query).get(PARAMETER, [])
    query = urlencode({PARAMETER: tokens[0]}) if tokens else ""
    scheme = "wss" if parts.scheme == "https" else "ws"
    return urlunsplit((scheme, parts.netloc, "/ws", query, ""))

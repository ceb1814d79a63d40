"""What a browser may ask of this server and do with its pages: nothing from elsewhere, nothing too large."""

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from fastapi import Request, Response

MOST_QUERY, MOST_BODY = 48_000, 1 << 20  # bytes
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
Next = Callable[[Request], Awaitable[Response]]


class RefusedError(Exception):
    """A request that is not answered: a status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def check(request: Request, hosts: tuple[str, ...]) -> None:
    """Raise RefusedError for a request that another site makes a browser send, and for one that is too large.

    Args: hosts: names under which the server may be called, besides those of this machine; without the port.
    """
    host = request.headers.get("host", "")
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    if name.lower() not in (*LOOPBACK, *hosts):
        raise RefusedError(421, "This server is not called by that name.")
    if len(request.url.query) > MOST_QUERY:
        raise RefusedError(414, f"This address is longer than {MOST_QUERY:,} bytes.")
    head = request.headers
    if request.method in ("GET", "HEAD"):
        follows = head.get("sec-fetch-mode") == "navigate" and head.get("sec-fetch-dest") == "document"
        if head.get("sec-fetch-site") in ("cross-site", "same-site") and not follows:
            raise RefusedError(403, "Pages of other sites may not use this one.")
        return
    origin = head.get("origin")
    same = origin is None or urlsplit(origin).netloc == host
    if not same or head.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise RefusedError(403, "Pages of other sites may not use this one.")
    if origin is None and "sec-fetch-site" not in head:
        raise RefusedError(403, "A request that sends something must say which page it comes from.")


async def body_of(request: Request) -> bytes:
    """Return what a request sends. Raises: RefusedError if it is too large."""
    found = bytearray()
    async for part in request.stream():
        found += part
        if len(found) > MOST_BODY:
            raise RefusedError(413, f"That is more than {MOST_BODY:,} bytes.")
    return bytes(found)

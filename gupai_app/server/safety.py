"""Limits on requests and pages: nothing from other sites, nothing too large."""

import traceback
from collections.abc import Callable

from fastapi import Request, Response
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gupai_app.play.address import MOST_QUERY
from gupai_app.server.html import REQUEST
from gupai_app.words.languages import LANGUAGES, preferred, speak, spoken
from gupai_env.messages import say

MOST_BODY = 1 << 20  # bytes
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
    "Content-Security-Policy": POLICY,
}
LANG, YEAR = "lang", 31_536_000  # the word of an address and the cookie that name the language; seconds that it is kept
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
ONCE = ("host", "origin", "content-length", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest")


class RefusedError(Exception):
    """A request that is not answered: a status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def check(request: Request, hosts: tuple[str, ...]) -> None:
    """Raise RefusedError for a request that another site makes a browser send, and for one that is too large.

    Headers are compared with what they may say and never taken apart, so that no text in them is an error.

    Args:
        request: The request.
        hosts: Names under which the server may be called, besides those of this machine; without the port.
    """
    head = request.headers
    if any(len(head.getlist(name)) > 1 for name in ONCE):
        raise RefusedError(400, "A header that may stand once in a request is there twice.")
    host = head.get("host", "").lower()
    name, _, port = host.rpartition(":")
    if (name if port.isdecimal() else host) not in (*LOOPBACK, *hosts):
        raise RefusedError(421, "This server is not called by that name.")
    if len(request.scope["query_string"]) > MOST_QUERY:
        raise RefusedError(414, say("This address is longer than {most:,} bytes.", most=MOST_QUERY))
    if request.method in ("GET", "HEAD"):
        follows = head.get("sec-fetch-mode") == "navigate" and head.get("sec-fetch-dest") == "document"
        if head.get("sec-fetch-site") in ("cross-site", "same-site") and not follows:
            raise RefusedError(403, "Pages of other sites may not use this one.")
        return
    origin = head.get("origin")
    same = origin is None or origin.lower() in (f"http://{host}", f"https://{host}")
    if not same or head.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise RefusedError(403, "Pages of other sites may not use this one.")
    if origin is None and "sec-fetch-site" not in head:
        raise RefusedError(403, "A request that sends something must say which page it comes from.")


def language_of(request: Request) -> str:
    """Return the language of an answer: of the address, else the one chosen before, else what the browser prefers."""
    for named in (request.query_params.get(LANG), request.cookies.get(LANG)):
        if named in LANGUAGES:
            return str(named)
    return preferred(request.headers.get("accept-language", ""))


class Guard:
    """What every request passes: only checked ones come through, and every answer has the headers of this server.

    HEAD is answered as GET, without the body.
    """

    def __init__(self, app: ASGIApp, *, hosts: tuple[str, ...], sentence: Callable[[int, str], Response]) -> None:
        """Guard an app.

        Args:
            sentence: Returns a page that says what is wrong.
        """
        self._app, self._hosts, self._sentence = app, hosts, sentence

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, request = False, Request(scope)

        async def answer(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(raw=message["headers"])
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if request.query_params.get(LANG) in LANGUAGES:
                    headers.append(
                        "Set-Cookie", f"{LANG}={spoken()}; Path=/; Max-Age={YEAR}; SameSite=Strict; HttpOnly"
                    )
            elif request.method == "HEAD":
                message = {**message, "body": b""}
            await send(message)

        try:
            speak(preferred(request.headers.get("accept-language", "")))  # of what is refused
            check(request, self._hosts)
            chosen = request.query_params.get(LANG, "")
            speak(language_of(request))
            if chosen:  # pages read their own words alone
                words = scope["query_string"].split(b"&")
                others = [word for word in words if not word.startswith(f"{LANG}=".encode())]
                scope = {**scope, "query_string": b"&".join(others)}
            if request.method == "HEAD":
                scope = {**scope, "method": "GET"}
            REQUEST.set(scope)
            await self._app(scope, receive, answer)
            return
        except ClientDisconnect:  # it is gone before it has sent all: there is nobody to answer
            return
        except RefusedError as refused:
            page = self._sentence(refused.status, str(refused))
        except Exception:
            traceback.print_exc()
            page = self._sentence(500, "Something is wrong with this program; the console says more.")
        if not begun:
            await page(scope, receive, answer)


async def body_of(request: Request) -> bytes:
    """Return what a request sends. Raises: RefusedError if it is too large."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MOST_BODY:
            raise RefusedError(413, say("That is more than {most:,} bytes.", most=MOST_BODY))
    return bytes(body)

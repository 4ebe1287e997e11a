"""A provider of OpenID Connect on this machine, which says of everybody what it is told to."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

CLIENT = "the-dashboard"


class Provider:
    """One that runs."""

    def __init__(self, address: str, claims: dict[str, Any]) -> None:
        from joserfc.jwk import RSAKey

        self.address = address  # its own
        self.claims = claims  # what it says of whoever comes; to be changed at will
        self.asked: list[str] = []
        self._key = RSAKey.generate_key(2048, {"kid": "1", "use": "sig", "alg": "RS256"})
        self._nonce = ""

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, dict[str, str], object]:
        """Return the status, headers and JSON of an answer."""
        self.asked.append(path)
        match path:
            case "/.well-known/openid-configuration":
                return 200, {}, {
                    "issuer": self.address,
                    "authorization_endpoint": f"{self.address}/authorize",
                    "token_endpoint": f"{self.address}/token",
                    "jwks_uri": f"{self.address}/keys",
                    "id_token_signing_alg_values_supported": ["RS256"],
                }  # fmt: skip
            case "/authorize":
                self._nonce = query["nonce"]
                back = urlencode({"code": "once", "state": query["state"]})
                return 302, {"Location": f"{query['redirect_uri']}?{back}"}, None
            case "/token":
                return 200, {}, {"access_token": "a", "token_type": "Bearer", "id_token": self._token()}
            case "/keys":
                return 200, {}, {"keys": [self._key.as_dict(private=False)]}
            case _:
                return 404, {}, None

    def _token(self) -> str:
        from joserfc import jwt

        at = int(time.time())
        about = {"iss": self.address, "aud": CLIENT, "iat": at, "exp": at + 600, "nonce": self._nonce}
        return jwt.encode({"alg": "RS256", "kid": "1"}, about | self.claims, self._key)


@contextmanager
def provider(**claims: Any) -> Iterator[Provider]:
    """Run a provider that says this of whoever comes."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            at = urlsplit(self.path)
            self._send(
                *running.answer(at.path, {name: values[0] for name, values in parse_qs(at.query).items()})
            )

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self._send(*running.answer(self.path, {}))

        def _send(self, status: int, headers: dict[str, str], body: object) -> None:
            data = b"" if body is None else json.dumps(body).encode()
            self.send_response(status)
            for name, value in (
                headers | {"Content-Type": "application/json", "Content-Length": str(len(data))}
            ).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    running = Provider(f"http://127.0.0.1:{server.server_port}", claims)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield running
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

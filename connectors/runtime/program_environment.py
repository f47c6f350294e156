"""The environment variables a program sees: proxy, locale, PATH and TLS certificates, nothing else (handbook §8)."""

import os
from collections.abc import Mapping

_PROXY = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
KEPT = frozenset(
    {
        *_PROXY,
        *(name.lower() for name in _PROXY),
        *("LANG", "LANGUAGE", "PATH"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    }
)


def scrub_environment(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return what is left for a program."""
    kept = {name: value for name, value in environment.items() if name in KEPT or name.startswith("LC_")}
    return {"PATH": os.defpath, **kept}

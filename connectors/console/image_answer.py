"""A stored picture as an answer: written by somebody else, so it is shown under its digest and runs nothing."""

from django.http import HttpResponse

_FOREVER = 365 * 24 * 3600


def answer_image(content: bytes, media_type: str) -> HttpResponse:
    """Kept for a year, since its address holds its digest; a drawing opened by itself has no script and no origin."""
    response = HttpResponse(content, content_type=media_type)
    response.headers["Cache-Control"] = f"private, max-age={_FOREVER}, immutable"
    response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    return response

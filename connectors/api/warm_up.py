"""What a web process loads before its first request, so that no reader waits for it."""

import gc

from django.urls import get_resolver


def warm_up() -> None:
    """Load every page's code, then leave what lasts out of garbage collections.

    A full collection walks all that is alive. With the modules among it that took 50 to 100 ms, within every few
    requests of a long list; they live until the end, so walking them finds nothing.
    """
    get_resolver().url_patterns  # noqa: B018 - looking loads them
    gc.collect()
    gc.freeze()

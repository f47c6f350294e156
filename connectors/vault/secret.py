"""A secret text that does not show itself. No framework here: every room may hold one."""

import hmac
from typing import ClassVar, Never, Self

MASK = "••••••"


class Secret:
    """A text that only `reveal()` shows.

    Its repr, str and format are a mask; pickling, JSON and hashing are refused, so that it cannot slip into a broker
    message, a cache key, a log line or a page (safety §30). Comparison takes the same time whatever differs.
    """

    __slots__: ClassVar = ("_text",)
    _text: str

    def __init__(self, text: str) -> None:
        object.__setattr__(self, "_text", text)

    def reveal(self) -> str:
        """Return the text itself: only where it leaves for the place it was given for."""
        return self._text

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    def __str__(self) -> str:
        return MASK

    def __format__(self, format_spec: str) -> str:
        return MASK

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._encoded(), other._encoded())

    __hash__ = None  # type: ignore[assignment]  # a secret is no dictionary key

    def _encoded(self) -> bytes:
        return self._text.encode("utf-8", "surrogatepass")

    def __setattr__(self, name: str, value: object) -> Never:
        raise AttributeError("A Secret does not change.")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce_ex__(self, protocol: object) -> Never:
        raise TypeError("A Secret cannot be pickled.")

"""Initials of an account that has no picture: of two words, or the first letter of one."""


def tell_initials(name: str) -> str:
    """Return one or two characters; of an address what stands before the @, of a Chinese name its first character."""
    words = name.partition("@")[0].replace(".", " ").replace("_", " ").replace("-", " ").split()
    if not words:
        return ""
    first, last = words[0][0], words[-1][0]
    return (first + last if len(words) > 1 and first.isascii() and last.isascii() else first).upper()

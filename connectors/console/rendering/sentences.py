"""Sentences one after the other, in either language."""

_ENDS_WITHOUT_GAP = ("。", "！", "？", "；", "：", "，")


def join_sentences(*sentences: object) -> str:
    """Return them as one text; what is empty is left out, and after a Chinese full stop there is no space."""
    told = ""
    for sentence in filter(None, (str(each or "") for each in sentences)):
        told += sentence if not told or told.endswith(_ENDS_WITHOUT_GAP) else f" {sentence}"
    return told

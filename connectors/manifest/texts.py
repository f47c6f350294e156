"""Choosing a package's text for a reader (handbook §4)."""

from collections.abc import Collection, Mapping

# Which script a Chinese tag means when it does not say so (BCP 47 likely subtags).
_SCRIPTS = {
    "zh": "hans",
    "zh-cn": "hans",
    "zh-sg": "hans",
    "zh-my": "hans",
    "zh-tw": "hant",
    "zh-hk": "hant",
    "zh-mo": "hant",
}


def choose_locale(locales: Collection[str], *, language: str, default_locale: str) -> str:
    """The package's locale for a reader's language: the same tag, else the same script, else the default."""
    wanted = language.replace("_", "-").lower()
    by_tag = {locale.lower(): locale for locale in locales}
    if wanted in by_tag:
        return by_tag[wanted]
    for tag in [default_locale.lower(), *sorted(by_tag)]:
        if tag in by_tag and _reads_like(tag) == _reads_like(wanted):
            return by_tag[tag]
    return default_locale


def text_for(texts: Mapping[str, Mapping[str, str]], key: str | None, *, language: str, default_locale: str) -> str:
    """The text under `key` in the reader's language, else in the default locale, else the key itself; "" for no key."""
    if not key:
        return ""
    locale = choose_locale(texts.keys(), language=language, default_locale=default_locale)
    for tag in (locale, default_locale):
        if text := texts.get(tag, {}).get(key):
            return text
    return key


def _reads_like(tag: str) -> tuple[str, str]:
    parts = tag.split("-")
    script = next((part for part in parts[1:] if len(part) == len("Hans")), "")
    region = next((part for part in parts[1:] if len(part) in {2, 3}), "")
    language = parts[0]
    if script:
        return language, script
    return language, _SCRIPTS.get(f"{language}-{region}" if region else language, _SCRIPTS.get(language, ""))

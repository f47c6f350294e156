"""The difference an update would make, in the reader's language."""

from dataclasses import dataclass

from connectors.catalogue.difference import UpdateDifference
from connectors.console.presentation import reader_language
from connectors.manifest.difference import Risk
from connectors.manifest.difference_words import describe_change
from connectors.manifest.hidden_characters import show_hidden

MOST_CHANGES = 500


@dataclass(frozen=True, slots=True)
class ToldChange:
    risk: Risk
    sentence: str


@dataclass(frozen=True, slots=True)
class ToldDifference:
    installed: str
    higher: bool
    changes: tuple[ToldChange, ...]
    untold: int  # changes beyond the first few hundred, which are the least dangerous ones
    files_compared: bool


def tell_difference(difference: UpdateDifference) -> ToldDifference:
    """Return the changes as sentences; what a package names is written so that it hides nothing."""
    language = reader_language()
    told = difference.changes[:MOST_CHANGES]
    changes = ((change.risk, describe_change(change, language)) for change in told)
    return ToldDifference(
        installed=difference.installed,
        higher=difference.higher,
        changes=tuple(ToldChange(risk, show_hidden(sentence)) for risk, sentence in changes),
        untold=len(difference.changes) - len(told),
        files_compared=difference.files_compared,
    )

"""The difference an update would make, in the reader's language."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from connectors.catalogue.difference import UpdateDifference
from connectors.console.presentation import reader_language
from connectors.manifest.difference import Change, Risk
from connectors.manifest.difference_words import describe_change
from connectors.manifest.hidden_characters import show_hidden

MOST_CHANGES = 500
MOST_HARMLESS = 5  # as many are shown unfolded


@dataclass(frozen=True, slots=True)
class ToldChange:
    """`id` is what its tick names."""

    id: str
    risk: Risk
    sentence: str


@dataclass(frozen=True, slots=True)
class ToldDifference:
    installed: str
    higher: bool
    changes: tuple[ToldChange, ...]
    untold: int  # changes beyond the first few hundred, which are the least dangerous ones
    files_compared: bool

    @property
    def unraised(self) -> "ToldDifference":
        """The same without the raised risks, which stand by themselves where they are ticked."""
        return replace(self, changes=tuple(change for change in self.changes if change.risk != "raised"))

    @property
    def weighty(self) -> tuple[ToldChange, ...]:
        """The changes down to the last one that is worth a look; all of them where few are left."""
        return self.changes[: len(self.changes) - len(self.harmless)]

    @property
    def harmless(self) -> tuple[ToldChange, ...]:
        """The tail that raises no risk, where it is long enough to be folded."""
        last = max((place for place, change in enumerate(self.changes) if change.risk != "plain"), default=-1)
        tail = self.changes[last + 1 :]
        return tail if len(tail) > MOST_HARMLESS else ()


def tell_difference(difference: UpdateDifference) -> ToldDifference:
    """Return the changes as sentences; what a package names is written so that it hides nothing."""
    told = difference.changes[:MOST_CHANGES]
    return ToldDifference(
        installed=difference.installed,
        higher=difference.higher,
        changes=tell_changes(told),
        untold=len(difference.changes) - len(told),
        files_compared=difference.files_compared,
    )


def tell_changes(changes: Iterable[Change]) -> tuple[ToldChange, ...]:
    """Return changes as sentences in the reader's language."""
    language = reader_language()
    return tuple(
        ToldChange(change.id, change.risk, show_hidden(describe_change(change, language))) for change in changes
    )

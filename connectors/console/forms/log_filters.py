"""What the filters of every log share: text, a stretch of time in a named zone, and the columns.

They live in the URL. A stretch between two moments carries its zone there, so that a shared link means the same rows
wherever it is opened; what cannot be read is told at its field and narrows nothing.
"""

from collections.abc import Iterable, Sequence
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta
from typing import Any, ClassVar, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django import forms
from django.forms.boundfield import BoundField
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

PRESETS = {
    "15m": timedelta(minutes=15),
    "1h": timedelta(hours=1),
    "24h": timedelta(days=1),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
}
RANGES = [
    ("", _("Any time")),
    ("15m", _("Last 15 minutes")),
    ("1h", _("Last hour")),
    ("24h", _("Last 24 hours")),
    ("7d", _("Last 7 days")),
    ("30d", _("Last 30 days")),
    ("custom", _("Between…")),
]
PLACE = ("since", "until", "zone")
# What an address says besides filters: where one has paged to, what is asked for, as which file.
_BESIDES = frozenset(("after", "before", "since_key", "charts", "format"))
_TOLD, _TOLD_LENGTH = 10, 40

type Choices = Sequence[tuple[str, str | Promise]]


class ClockField(forms.DateTimeField):
    """A date and time as a clock shows it; which zone's clock it was is another field.

    There is room on both sides: at the ends of the calendar neither zones nor margins can be reckoned.
    """

    widget = forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")

    def to_python(self, value: Any) -> datetime | None:
        if value in self.empty_values:
            return None
        try:
            shown = parse_datetime(str(value).strip())
        except ValueError:
            shown = None
        if shown is None or shown.tzinfo is not None or not MINYEAR < shown.year < MAXYEAR:
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid")
        return shown


class ZoneField(forms.CharField):
    """The zone that the moments beside it are in; one that does not exist is told, not guessed."""

    widget = forms.HiddenInput

    def clean(self, value: Any) -> ZoneInfo | None:
        name = super().clean(value)
        if not name:
            return None
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise forms.ValidationError(_("There is no such time zone."), code="invalid") from error


class ColumnsField(forms.MultipleChoiceField):
    """Chosen columns, as `columns=a,b` or once each; a name that is none of them is passed over."""

    class CommaList(forms.CheckboxSelectMultiple):
        def value_from_datadict(self, data: Any, files: Any, name: str) -> list[str]:
            given = cast("Iterable[str]", super().value_from_datadict(data, files, name) or ())
            return [part for text in given for part in str(text).split(",") if part]

    widget = CommaList

    def clean(self, value: Any) -> list[str]:
        known = [key for key, _title in cast("Choices", self.choices)]
        return [key for key in known if key in (value or ())]


class LogFilterForm(forms.Form):
    """A log's filters. `more` names those that wait behind *More filters*; hidden ones only ever come by a link."""

    more: ClassVar[frozenset[str]] = frozenset()
    text = forms.CharField(
        label=_("Search"), required=False, max_length=200, widget=forms.TextInput({"type": "search"})
    )
    range = forms.ChoiceField(label=_("Time"), choices=RANGES, required=False)
    since = ClockField(label=pgettext_lazy("time", "From"), required=False)
    until = ClockField(label=_("Until"), required=False)
    zone = ZoneField(required=False, max_length=64)
    columns = ColumnsField(label=_("Columns"), required=False)

    def __init__(self, data: Any = None, *, columns: Choices = (), **kwargs: Any) -> None:
        super().__init__(data, auto_id="filter-%s", **kwargs)
        chosen = self.fields["columns"]
        assert isinstance(chosen, ColumnsField)
        chosen.choices = columns

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        zone = values.get("zone") or self.clock_zone
        for name, wider in (("since", min), ("until", max)):
            shown = values.get(name)
            if shown is not None:
                # A clock that is turned shows some times twice and some never: the wider reading is meant.
                values[name] = wider(shown.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
        if values.get("since") and values.get("until") and values["since"] >= values["until"]:
            self.add_error("until", _("This is not after the beginning."))
        return values

    @property
    def clock_zone(self) -> ZoneInfo:
        """The zone the moments are typed in: the link's, else the reader's."""
        given = self.data.get("zone") if self.data else None
        try:
            return ZoneInfo(given or timezone.get_current_timezone_name())
        except (ZoneInfoNotFoundError, ValueError, OSError):
            return ZoneInfo(timezone.get_current_timezone_name())

    @property
    def in_use(self) -> bool:
        """Whether anything narrows the list, so that an empty one can offer to clear the filters."""
        return any(self.data.get(name) for name in self.fields if name not in ("columns", "zone"))

    @property
    def unread(self) -> list[str]:
        """The names in the address that narrow nothing: what cannot be read, and filters there are no more."""
        strange = [name[:_TOLD_LENGTH] for name in self.data if name not in self.fields and name not in _BESIDES]
        return [*self.errors, *strange][:_TOLD]

    @property
    def first(self) -> list[BoundField]:
        """The filters that always show."""
        return [field for field in self._shown() if field.name not in self.more]

    @property
    def behind(self) -> list[BoundField]:
        return [field for field in self._shown() if field.name in self.more]

    @property
    def behind_in_use(self) -> bool:
        return any(self.data.get(name) for name in self.more)

    @property
    def hidden(self) -> list[BoundField]:
        return [field for field in self.hidden_fields() if field.name != "zone" and field.value()]

    def period(self) -> dict[str, Any]:
        chosen = self.cleaned_data.get("range") or ""
        if chosen in PRESETS:
            return {"since": timezone.now() - PRESETS[chosen], "until": None}
        return {"since": self.cleaned_data.get("since"), "until": self.cleaned_data.get("until")}

    def _shown(self) -> list[BoundField]:
        return [field for field in self.visible_fields() if field.name != "columns"]

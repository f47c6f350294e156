"""What people write about a connector: its entry, the checklist, and what shall become of it."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.forms.boundfield import BoundField
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from connectors.access.models import User
from connectors.console.forms.people_field import PeopleField
from connectors.console.forms.plain_text import PlainText
from connectors.console.ledger_words import ITEM_TITLES, SECTION_TITLES, VERDICTS
from connectors.ledger.checklist import ITEMS, NO, SECTIONS, YES
from connectors.ledger.entry import LONGEST_NOTE, LONGEST_TEXT, Writing
from connectors.ledger.models import LedgerEntry, Verdict

ANSWERS = [(YES, _("Yes")), (NO, _("No")), ("", _("Not looked at"))]


class PersonField(PeopleField):
    """Cleans to the one active person named, or to nobody."""

    def clean(self, value: object) -> Any:
        found = super().clean(value)
        if len(found) > 1:
            raise forms.ValidationError(gettext("Name one person."))
        return found[0] if found else None


class RevisedForm(forms.Form):
    """`revision` is that of the entry the reader saw."""

    revision = forms.IntegerField(widget=forms.HiddenInput, min_value=0, max_value=2**31 - 1)


class EntryForm(RevisedForm):
    purpose = PlainText(
        lines=True,
        label=_("Purpose"),
        required=False,
        max_length=LONGEST_TEXT,
        widget=forms.Textarea({"rows": 2}),
        help_text=_("What it is for here. Left empty, the package's own description stands."),
    )
    owner = PersonField(
        label=_("Owner"), required=False, help_text=_("The user name of who answers for it. Empty: who installed it.")
    )
    source = PlainText(
        label=_("Source"),
        required=False,
        max_length=LONGEST_TEXT,
        help_text=_("Who or where the package came from: a person, an address."),
    )

    def __init__(self, data: Any = None, *, entry: LedgerEntry | None = None) -> None:
        initial: dict[str, object] = {}
        if entry:
            owner = entry.owner.username if entry.owner else ""
            initial = {"purpose": entry.purpose, "owner": owner, "source": entry.source}
        super().__init__(data, initial=initial, auto_id="entry-%s")

    @property
    def writing(self) -> Writing:
        cleaned = self.cleaned_data
        owner: User | None = cleaned["owner"]
        return Writing(purpose=cleaned["purpose"], owner=owner, source=cleaned["source"])


class ChecklistForm(RevisedForm):
    note = PlainText(
        lines=True,
        label=_("Note"),
        required=False,
        max_length=LONGEST_NOTE,
        widget=forms.Textarea({"rows": 2}),
    )

    def __init__(self, data: Any = None, *, entry: LedgerEntry | None = None) -> None:
        answers: dict[str, str] = entry.checklist if entry else {}
        initial = {item: answers.get(item, "") for item in ITEMS} | {"note": entry.checklist_note if entry else ""}
        super().__init__(data, initial=initial, auto_id="checklist-%s")
        for item in ITEMS:
            self.fields[item] = forms.ChoiceField(
                label=str(ITEM_TITLES[item]), choices=ANSWERS, required=False, widget=forms.RadioSelect
            )

    def sections(self) -> Iterator[tuple[str | Promise, list[BoundField]]]:
        for section, items in SECTIONS.items():
            yield SECTION_TITLES[section], [self[item] for item in items]

    @property
    def answers(self) -> dict[str, str]:
        return {item: self.cleaned_data[item] for item in ITEMS}


class DispositionForm(forms.Form):
    verdict = forms.ChoiceField(
        label=_("Disposition"),
        choices=[(value, VERDICTS[value]) for value in Verdict.values],
        widget=forms.RadioSelect,
    )
    reason = PlainText(
        label=_("Reason"),
        required=False,
        help_text=_("Needed where it is not what its use suggests."),
        widget=forms.TextInput({"maxlength": LONGEST_TEXT}),
    )

    def __init__(self, data: Any = None, *, verdict: str = "") -> None:
        super().__init__(data, initial={"verdict": verdict}, auto_id="disposition-%s")

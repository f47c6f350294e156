"""Whom a change sends to authorize again, in words: before it is made, and after."""

from dataclasses import dataclass

from django.utils.translation import ngettext

from connectors.catalogue.models import Connector
from connectors.console.forms.manifest_form import ManifestForm
from connectors.lifecycle.reconfiguration import preview_stake


@dataclass(frozen=True, slots=True)
class ToldStake:
    """`fields` are the labels of those that decide; none where the package's program does."""

    people: int
    fields: tuple[str, ...]


def tell_stake(connector: Connector, form: ManifestForm) -> ToldStake | None:
    """Return whom saving a configuration may send to authorize again, None where it is nobody."""
    stake = preview_stake(connector)
    if stake is None:
        return None
    labels = tuple(str(form[one.key].label) for one in form.described if one.key in stake.fields)
    return ToldStake(stake.people, () if stake.decided_by_program else labels)


def tell_people(people: int) -> str:
    """Return how many people must authorize again, nothing where nobody must."""
    if not people:
        return ""
    told = ngettext("%(count)d person must authorize again.", "%(count)d people must authorize again.", people)
    return told % {"count": people}

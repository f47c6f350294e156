"""Who may see a connector: everyone, or chosen teams and people."""

from typing import Any

from django import forms
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from connectors.access.models import Team, User
from connectors.catalogue.models import Connector
from connectors.catalogue.visibility import edition_of_visibility
from connectors.console.forms.people_field import PeopleField


class VisibilityForm(forms.Form):
    """The choice, and the mark of what was chosen when it was shown (`edition_of_visibility`)."""

    edition = forms.CharField(widget=forms.HiddenInput, max_length=16, required=False)
    audience = forms.ChoiceField(
        label=_("Who may see it"),
        widget=forms.RadioSelect,
        choices=[("everyone", _("Everyone who can sign in")), ("chosen", _("Chosen teams and people"))],
    )
    teams = forms.ModelMultipleChoiceField(
        label=_("Teams"), queryset=Team.objects.all(), widget=forms.CheckboxSelectMultiple, required=False
    )
    people = forms.ModelMultipleChoiceField(
        label=_("People"), queryset=User.objects.none(), widget=forms.CheckboxSelectMultiple, required=False
    )
    more_people = PeopleField(label=_("User names"), required=False, help_text=_("Separated by commas or lines."))

    def __init__(self, data: Any, connector: Connector) -> None:
        super().__init__(
            data,
            initial={
                "audience": "everyone" if connector.everyone else "chosen",
                "teams": list(connector.teams.all()),
                "people": list(connector.people.all()),
                "edition": edition_of_visibility(connector),
            },
        )
        kept = connector.people.values("pk")
        people: Any = self.fields["people"]
        people.queryset = User.objects.filter(Q(is_active=True) | Q(pk__in=kept))

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        named = [*cleaned.get("people", ()), *cleaned.get("more_people", ())]
        if cleaned.get("audience") == "chosen" and not named and not cleaned.get("teams") and not self.errors:
            self.add_error("audience", _("Choose at least one team or person, or everyone."))
        return cleaned

    @property
    def everyone(self) -> bool:
        return bool(self.cleaned_data["audience"] == "everyone")

    @property
    def chosen_people(self) -> list[User]:
        return [*self.cleaned_data["people"], *self.cleaned_data["more_people"]]

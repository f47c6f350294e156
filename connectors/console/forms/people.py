"""Forms for people and teams; the actions decide what is acceptable and name every fault."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from connectors.access.models import Team, User
from connectors.console.forms.people_field import PeopleField
from connectors.console.people_pages import ROLES


class PersonForm(forms.Form):
    username = forms.CharField(
        label=_("User name"), max_length=150, help_text=_("What they sign in with; it cannot be changed later.")
    )
    display_name = forms.CharField(label=_("Name"), max_length=150, required=False)
    email = forms.EmailField(label=_("Email"), required=False)
    role = forms.ChoiceField(label=_("Role"), choices=ROLES.items(), initial="user", widget=forms.RadioSelect)


class RoleForm(forms.Form):
    role = forms.ChoiceField(label=_("Role"), choices=ROLES.items(), widget=forms.RadioSelect)


class TeamForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=100)
    members = forms.ModelMultipleChoiceField(
        label=_("Members"), queryset=User.objects.none(), widget=forms.CheckboxSelectMultiple, required=False
    )
    more_people = PeopleField(label=_("Add people"), required=False, help_text=_("User names, separated by commas."))

    def __init__(self, data: Any, team: Team | None = None) -> None:
        members = list(team.members.all()) if team else []
        super().__init__(data, initial={"name": team.name if team else "", "members": members})
        if team is None:
            del self.fields["members"]
        else:
            self.fields["members"].queryset = team.members.all()  # type: ignore[attr-defined] # a model choice field

    @property
    def chosen_people(self) -> list[User]:
        return [*self.cleaned_data.get("members", ()), *self.cleaned_data["more_people"]]

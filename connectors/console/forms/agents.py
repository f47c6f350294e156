"""Naming an agent, and how long a token lives."""

from datetime import timedelta

from django import forms
from django.utils.translation import gettext_lazy as _

LIFETIMES = {"30": timedelta(days=30), "90": timedelta(days=90), "365": timedelta(days=365), "": None}
LIFETIME_CHOICES = [("30", _("30 days")), ("90", _("90 days")), ("365", _("1 year")), ("", _("Never"))]


class TokenForm(forms.Form):
    lifetime = forms.ChoiceField(label=_("Token expires after"), choices=LIFETIME_CHOICES, required=False, initial="90")

    def clean_lifetime(self) -> timedelta | None:
        return LIFETIMES[self.cleaned_data["lifetime"]]


class AgentForm(TokenForm):
    name = forms.CharField(
        label=_("Name"),
        max_length=100,
        help_text=_("What you call it: the program or the job it does."),
        widget=forms.TextInput({"autocomplete": "off", "autofocus": True, "placeholder": "Claude Code"}),
    )
    field_order = ("name", "lifetime")

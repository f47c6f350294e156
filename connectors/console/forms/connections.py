"""Naming a connection."""

from django import forms
from django.utils.translation import gettext_lazy as _


class AliasForm(forms.Form):
    alias = forms.CharField(
        label=_("Alias"),
        required=False,
        max_length=64,
        help_text=_("Tells this account apart from your others at the same connector, for you and for agents."),
        widget=forms.TextInput({"autocomplete": "off"}),
    )

"""Removing a connector is confirmed by typing its key."""

from django import forms
from django.utils.translation import gettext_lazy as _


class RemovalForm(forms.Form):
    """Whether it is the right key the action decides."""

    typed_key = forms.CharField(
        label=_("Type the key to confirm"),
        max_length=64,
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}),
    )

    def __init__(self, data: object = None) -> None:
        super().__init__(data, auto_id="field-%s", use_required_attribute=False)  # type: ignore[arg-type] # a QueryDict

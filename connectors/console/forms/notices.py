"""Where digests are posted to."""

from django import forms
from django.utils.translation import gettext_lazy as _

from connectors.ledger.webhook import LONGEST_URL


class WebhookForm(forms.Form):
    url = forms.CharField(
        label=_("Address"),
        max_length=LONGEST_URL,
        help_text=_(
            "Where the daily digest is posted to. A new secret to check it by is shown once, on the next page."
        ),
        widget=forms.URLInput({"placeholder": "https://", "autocomplete": "off"}),
    )

"""How long a connector's calls are kept with what they say."""

from django import forms
from django.utils.translation import gettext_lazy as _

from connectors.catalogue.capture import MAX_DAYS

CHOICES = [
    (0, _("Off: only sizes and digests are kept")),
    (1, _("1 day")),
    (3, _("3 days")),
    (7, _("7 days")),
    (MAX_DAYS, _("30 days")),
]


class CaptureForm(forms.Form):
    days = forms.TypedChoiceField(
        label=_("Keep arguments and results for"),
        choices=CHOICES,
        coerce=int,
        help_text=_("Of calls from now on. Known secrets are masked; whatever else a service writes is kept."),
    )

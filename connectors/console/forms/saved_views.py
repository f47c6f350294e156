"""A view of a log to keep: its name, whether others may use it, and the query string as the log's form reads it."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from connectors.console.forms.plain_text import PlainText
from connectors.console.logs.addresses import MOST_CHARACTERS, clean_query, is_keepable
from connectors.console.logs.kinds import Log


class SavedViewForm(forms.Form):
    name = PlainText(label=_("Name"), max_length=80)
    shared = forms.BooleanField(label=_("Share it with everybody who may read this log"), required=False)
    query = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, log: Log, data: Any = None) -> None:
        super().__init__(data, auto_id="view-%s")
        self.log = log
        if not log.everyone:
            del self.fields["shared"]

    def clean_query(self) -> str:
        sent: str = self.cleaned_data["query"]
        cleaned = clean_query(self.log, self.log.make_form(QueryDict(sent))) if is_keepable(sent) else sent
        if not is_keepable(cleaned):
            told = gettext("These filters are too long to keep: at most %(most)d characters.")
            raise forms.ValidationError(told % {"most": MOST_CHARACTERS})
        return cleaned

    @property
    def shares(self) -> bool:
        return bool(self.cleaned_data.get("shared"))

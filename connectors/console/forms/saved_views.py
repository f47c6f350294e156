"""A view of a log to keep: its name, whether others may use it, and the query string as the log's form reads it."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from connectors.console.logs.addresses import MOST_CHARACTERS, clean_query
from connectors.console.logs.kinds import Log


class SavedViewForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=80)
    shared = forms.BooleanField(label=_("Share it with everybody who may read this log"), required=False)
    query = forms.CharField(required=False, max_length=MOST_CHARACTERS, widget=forms.HiddenInput)

    def __init__(self, log: Log, data: Any = None) -> None:
        super().__init__(data, auto_id="view-%s")
        self.log = log
        if not log.everyone:
            del self.fields["shared"]

    def clean_query(self) -> str:
        query = QueryDict(self.cleaned_data["query"])
        return clean_query(self.log, self.log.make_form(query))

    @property
    def shares(self) -> bool:
        return bool(self.cleaned_data.get("shared"))

"""What a person fills in to connect an account: what the manifest asks for, and a name when there are several."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from connectors.catalogue.models import Connector
from connectors.catalogue.versions import manifest_of
from connectors.console.forms.manifest_form import ManifestForm


class ConnectForm(ManifestForm):
    """`with_alias` asks for a name: from the second account on it is needed."""

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, connector: Connector, with_alias: bool = False
    ) -> None:
        manifest = manifest_of(connector.version)
        super().__init__(
            data,
            fields=manifest.auth.fields,
            texts=connector.version.texts,
            default_locale=manifest.default_locale,
        )
        if with_alias:
            self.fields[ALIAS] = forms.CharField(
                label=_("Alias"),
                required=False,
                max_length=64,
                help_text=_("Tells this account apart from your others, for you and for agents. For example: work."),
                widget=forms.TextInput({"autocomplete": "off"}),
            )

    @property
    def alias(self) -> str:
        return str(self.data.get(ALIAS, "")).strip() if ALIAS in self.fields else ""

    def alias_field(self) -> forms.BoundField | None:
        return self[ALIAS] if ALIAS in self.fields else None


ALIAS = "connection-alias"  # no field of a manifest can have a hyphen

"""Which category the selected connectors go into."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from connectors.catalogue.category_queries import shown_categories
from connectors.catalogue.models import Category, Connector
from connectors.console.presentation import name_category

MANIFEST = ":manifest"  # no category's key


class BulkForm(forms.Form):
    category = forms.ChoiceField(label=_("Category"))

    def __init__(self, data: Any, *, needs_category: bool) -> None:
        super().__init__(data if needs_category else {})
        if not needs_category:
            del self.fields["category"]
            return
        self.shown = {each.key: each for each in shown_categories()}
        choices = [(key, name_category(each)) for key, each in self.shown.items()]
        field: Any = self.fields["category"]
        field.choices = [*choices, (MANIFEST, _("The one each package names"))]

    @classmethod
    def of(cls, connector: Connector) -> "BulkForm":
        """Return the form of one connector, set to where it is now."""
        form = cls(None, needs_category=True)
        form.initial["category"] = connector.category.key if connector.category_overridden else MANIFEST
        return form

    @property
    def chosen_category(self) -> Category | None:
        return self.shown.get(self.cleaned_data["category"]) if "category" in self.fields else None

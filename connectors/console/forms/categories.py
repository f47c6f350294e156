"""Forms about categories: names and icon, and what one is merged into."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from connectors.catalogue.category_editing import ICONS, LONGEST, edition_of
from connectors.catalogue.category_queries import shown_categories
from connectors.catalogue.models import Category
from connectors.console import fault_words  # noqa: F401 - registers what name_invalid says
from connectors.console.presentation import name_category, reader_language
from connectors.errors import Fault
from connectors.manifest.fault_messages import describe_fault


class CategoryForm(forms.Form):
    """A name for each language of the console, an icon, and the mark of what was shown (`edition_of`)."""

    edition = forms.CharField(widget=forms.HiddenInput, max_length=16)
    icon = forms.ChoiceField(
        label=_("Icon"), required=False, widget=forms.RadioSelect, choices=[("", _("None")), *((i, i) for i in ICONS)]
    )

    def __init__(self, data: Any, category: Category) -> None:
        names: dict[str, str] = category.names
        initial = {f"name-{code}": names.get(code, "") for code, _language in settings.LANGUAGES}
        super().__init__(data, initial=initial | {"icon": category.icon, "edition": edition_of(category)})
        blank = Category(key=category.key)
        for code, language in settings.LANGUAGES:
            self.fields[f"name-{code}"] = forms.CharField(
                label=language,
                required=False,
                max_length=LONGEST,
                widget=forms.TextInput(attrs={"lang": code, "placeholder": blank.display_name(code)}),
            )

    def typed(self) -> dict[str, Any]:
        """Return what `rename_category` is given."""
        values = self.cleaned_data
        names = {code: values[f"name-{code}"] for code, _language in settings.LANGUAGES}
        return {"names": names, "icon": values["icon"], "edition": values["edition"]}

    def name_fields(self) -> list[forms.BoundField]:
        return [self[f"name-{code}"] for code, _language in settings.LANGUAGES]

    def add_faults(self, faults: Iterable[Fault]) -> None:
        for fault in faults:
            text = describe_fault(fault, reader_language())
            self.add_error(fault.where if fault.where in self.fields else None, f"{text.message} {text.hint}".strip())


class MergeForm(forms.Form):
    into = forms.ChoiceField(label=_("Merge into"))

    def __init__(self, data: Any, source: Category) -> None:
        super().__init__(data)
        self.others = {each.key: each for each in shown_categories().exclude(pk=source.pk)}
        choices = [(key, name_category(each)) for key, each in self.others.items()]
        field: Any = self.fields["into"]
        field.choices = [("", gettext("Choose a category")), *choices]

    @property
    def target(self) -> Category:
        return self.others[self.cleaned_data["into"]]

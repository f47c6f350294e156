"""A form that a manifest describes. It draws the fields; `manifest.values` alone decides what they accept."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext

from connectors.console.presentation import reader_language
from connectors.errors import Fault, Invalid
from connectors.manifest.fault_messages import describe_fault
from connectors.manifest.fields import Field
from connectors.manifest.texts import text_for
from connectors.manifest.values import ParsedValues, parse_values

Texts = Mapping[str, Mapping[str, str]]


class ShownField(forms.CharField):
    """Drawn here, judged by `manifest.values`; `required` only says how to mark it."""

    def clean(self, value: Any) -> Any:
        return value


class ManifestForm(forms.Form):
    """Typed values come back after a fault, secrets never do. `kept` names secrets that have a value and may stay."""

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        fields: Sequence[Field],
        texts: Texts,
        default_locale: str,
        initial: Mapping[str, Any] | None = None,
        kept: Collection[str] = (),
    ) -> None:
        super().__init__(data, initial=dict(initial or {}), auto_id="field-%s", use_required_attribute=False)
        self.described = tuple(fields)
        self.kept = frozenset(kept)
        self._texts = texts
        self._default_locale = default_locale
        for field in self.described:
            self.fields[field.key] = self._draw(field)

    def groups(self) -> list[tuple[str, list[BoundField]]]:
        """Bound fields under their group's title, in the manifest's order; the ungrouped have an empty title."""
        grouped: dict[str, list[BoundField]] = {}
        for field in self.described:
            grouped.setdefault(self._text(field.group_key), []).append(self[field.key])
        return list(grouped.items())

    def raw_values(self) -> dict[str, str]:
        """What was sent for the fields; one that was not sent at all takes its default."""
        return {field.key: str(self.data[field.key]) for field in self.described if field.key in self.data}

    def parse(self) -> ParsedValues | None:
        """The values, or None with every fault on its field."""
        try:
            return parse_values(self.described, self.raw_values(), kept=self.kept)
        except Invalid as invalid:
            self.add_faults(invalid.faults)
            return None

    def add_faults(self, faults: Iterable[Fault]) -> None:
        self.errors  # noqa: B018 - Django keeps errors only once it has validated
        for fault in faults:
            text = describe_fault(fault, reader_language())
            self.add_error(fault.where if fault.where in self.fields else None, f"{text.message} {text.hint}".strip())

    def _draw(self, field: Field) -> forms.Field:
        drawn = ShownField(
            label=self._text(field.label_key) or field.key,
            help_text=self._text(field.description_key),
            required=field.required and field.key not in self.kept,
            initial=self._initial(field),
            widget=self._widget(field),
        )
        if field.placeholder_key:
            drawn.widget.attrs["placeholder"] = self._text(field.placeholder_key)
        if drawn.required:
            drawn.widget.attrs["aria-required"] = "true"
        return drawn

    def _widget(self, field: Field) -> forms.Widget:
        plain = {"autocomplete": "off", "spellcheck": "false"}
        match field.type:
            case "secret":
                return forms.PasswordInput({**plain, "autocomplete": "new-password"})
            case "url":
                return forms.URLInput(plain)
            case "integer":
                return forms.NumberInput({"step": "1"})
            case "boolean":
                return forms.RadioSelect(choices=[("true", gettext("Yes")), ("false", gettext("No"))])
            case "select":
                options = [(option.value, self._text(option.label_key)) for option in field.options or ()]
                return forms.Select(choices=options if field.required else [("", "—"), *options])
            case _:
                return forms.TextInput(plain)

    def _initial(self, field: Field) -> Any:
        return str(field.default).lower() if field.type == "boolean" and field.default is not None else field.default

    def _text(self, key: str | None) -> str:
        if not key:
            return ""
        return text_for(self._texts, key, language=reader_language(), default_locale=self._default_locale)

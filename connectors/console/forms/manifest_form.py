"""A form that a manifest describes. It draws the fields; `manifest.values` alone decides what they accept."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext

from connectors.console.presentation import reader_language
from connectors.console.rendering.sentences import join_sentences
from connectors.errors import Fault, Invalid
from connectors.manifest.fault_messages import describe_fault
from connectors.manifest.fields import Field
from connectors.manifest.texts import text_for
from connectors.manifest.values import ParsedValues, parse_values

Texts = Mapping[str, Mapping[str, str]]
_WORTH_TELLING = 255


def tell_limits(field: Field) -> str:
    """Return in words what a field's value must keep to, nothing where anything of its type will do."""
    if field.type == "integer":
        return _tell_range(field.minimum, field.maximum)
    if field.min_length is None and field.max_length is None:
        return ""
    return _tell_length(field.min_length or 0, field.max_length)


def _tell_range(least: int | None, most: int | None) -> str:
    if least is None and most is None:
        return ""
    if most is None:
        return gettext("At least %(least)d.") % {"least": least}
    if least is None:
        return gettext("At most %(most)d.") % {"most": most}
    return gettext("From %(least)d to %(most)d.") % {"least": least, "most": most}


def _tell_length(least: int, most: int | None) -> str:
    """Bounds that nobody reaches by typing (a URL of 2,048 characters, say) are not worth a word."""
    if most is None or most > _WORTH_TELLING:
        return gettext("At least %(least)d characters.") % {"least": least} if least > 1 else ""
    if least > 1:
        return gettext("From %(least)d to %(most)d characters.") % {"least": least, "most": most}
    return gettext("At most %(most)d characters.") % {"most": most}


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
            self.add_error(fault.where if fault.where in self.fields else None, join_sentences(text.message, text.hint))

    def _draw(self, field: Field) -> forms.Field:
        drawn = ShownField(
            label=self._text(field.label_key) or field.key,
            help_text=join_sentences(self._text(field.description_key), tell_limits(field)),
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

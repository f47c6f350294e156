"""What a person may choose about how the console speaks to them."""

from collections.abc import Container
from functools import cache
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.forms.utils import flatatt
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from connectors.access.models import User
from connectors.console.forms.plain_text import PlainText


@cache
def _time_zones() -> tuple[tuple[str, str], ...]:
    """Every zone of this machine's database; listing them reads hundreds of files."""
    return tuple((zone, zone) for zone in sorted(available_timezones()))


class _ManyChoices(forms.Select):
    """Hundreds of choices in one piece: Django draws each from two templates, which took most of the page's time."""

    def render(self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None) -> SafeString:  # noqa: ARG002 - Django's signature
        drawn = self.get_context(name, value, attrs)["widget"]
        choices = (choice for _group, choices, _index in drawn["optgroups"] for choice in choices)
        options = format_html_join(
            "\n",
            '<option value="{}"{}>{}</option>',
            ((choice["value"], flatatt(choice["attrs"]), choice["label"]) for choice in choices),
        )
        return format_html('<select name="{}"{}>{}</select>', drawn["name"], flatatt(drawn["attrs"]), options)


class PreferencesForm(forms.ModelForm):  # type: ignore[type-arg] # not subscriptable at run time
    """Only the fields that were sent are changed: the header's switches send one, the page sends all."""

    display_name = PlainText(label=_("Name"), max_length=150, required=False)
    language = forms.ChoiceField(label=_("Language"), required=False)
    time_zone = forms.ChoiceField(
        label=_("Time zone"),
        required=False,
        help_text=_("Times everywhere in the console are shown in it."),
        widget=_ManyChoices,
    )
    theme = forms.ChoiceField(
        label=_("Theme"),
        required=False,
        widget=forms.RadioSelect,
        choices=[("system", _("As the system")), ("light", _("Light")), ("dark", _("Dark"))],
    )

    class Meta:
        model = User
        fields = ("display_name", "language", "time_zone", "theme")

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type] # handed on as they came
        as_browser = ("", _("As the browser"))
        self.fields["language"].choices = [as_browser, *settings.LANGUAGES]  # type: ignore[attr-defined] # a ChoiceField
        self.fields["time_zone"].choices = [as_browser, *_time_zones()]  # type: ignore[attr-defined] # a ChoiceField

    def keep(self, sent: Container[str]) -> dict[str, str]:
        """Store the fields that were sent on the person, if they are one we know; return them."""
        chosen = {name: str(value) for name, value in self.cleaned_data.items() if name in sent}
        if self.instance.pk and chosen:
            User.objects.filter(pk=self.instance.pk).update(**chosen)
        return chosen

"""A field for what people write freely; the actions that keep it hold to the same rule (`manifest.free_text`)."""

from typing import Any

from django import forms

from connectors.console.presentation import reader_language
from connectors.errors import Fault
from connectors.manifest.fault_messages import describe_fault
from connectors.manifest.free_text import UNSHOWABLE


class PlainText(forms.CharField):
    """Refuses what nobody can see; `lines` lets a text have several of them."""

    def __init__(self, *, lines: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.lines = lines

    def validate(self, value: str) -> None:
        super().validate(value)
        if UNSHOWABLE.search(value) or not (self.lines or value.isprintable()):
            text = describe_fault(Fault("text_unshowable"), reader_language())
            raise forms.ValidationError(f"{text.message} {text.hint}")

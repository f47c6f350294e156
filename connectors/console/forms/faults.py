"""Putting an action's refusal where its reader looks: on the field it is about, else above the form."""

from django import forms

from connectors.console.messages import describe_error
from connectors.console.presentation import reader_language
from connectors.errors import ConnectorError, Invalid
from connectors.manifest.fault_messages import describe_fault


def place_error(form: forms.Form, error: ConnectorError, *, where: str | None = None) -> None:
    """`where` names the field that an error without a place in the form is about."""
    if isinstance(error, Invalid):
        for fault in error.faults:
            text = describe_fault(fault, reader_language())
            form.add_error(fault.where if fault.where in form.fields else where, f"{text.message} {text.hint}".strip())
        return
    form.add_error(where, str(describe_error(error)))

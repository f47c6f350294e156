"""The configuration of a package or a connector as a form, and what its Test connection button is given."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.forms.boundfield import BoundField

from connectors.authorization.client_registration import redirect_uri
from connectors.catalogue.configuration import OpenConfiguration, open_configuration
from connectors.catalogue.models import ConfigurationSecret, Connector
from connectors.catalogue.versions import manifest_of
from connectors.console.forms.manifest_form import ManifestForm, Texts
from connectors.errors import Fault, Invalid
from connectors.manifest.schema import Manifest
from connectors.manifest.values import parse_values
from connectors.vault.secret import Secret

CLEAR = "clear-"
ONE_OFF = "one_off"


@dataclass(frozen=True, slots=True)
class ConfigurationField:
    """A field on the page; `secret` is the stored value it has, of which only by whom and when is shown."""

    bound: BoundField
    secret: ConfigurationSecret | None
    clearable: bool
    clear_name: str
    clearing: bool  # its box was ticked in what came back


type Groups = list[tuple[str, list[ConfigurationField]]]


def draw_installation(
    manifest: Manifest, texts: Texts, data: Mapping[str, Any] | None, initial: Mapping[str, Any]
) -> ManifestForm:
    """Return the form of a package that is not installed yet; `initial` may prefill what is not secret."""
    public = {field.key: initial[field.key] for field in manifest.configuration.fields if _prefilled(field, initial)}
    return ManifestForm(
        data,
        fields=manifest.configuration.fields,
        texts=texts,
        default_locale=manifest.default_locale,
        initial=public,
    )


def draw_configuration(connector: Connector, data: Mapping[str, Any] | None) -> ManifestForm:
    """Return the form of an installed connector; secrets that are set may stay blank."""
    manifest = manifest_of(connector.version)
    return ManifestForm(
        data,
        fields=manifest.configuration.fields,
        texts=connector.version.texts,
        default_locale=manifest.default_locale,
        initial={key: show_value(value) for key, value in connector.configuration.items()},
        kept=frozenset(connector.secrets.values_list("field", flat=True)),
    )


def show_value(value: Any) -> Any:
    """Return a stored value as its form writes it."""
    return str(value).lower() if isinstance(value, bool) else value


def callback_address(manifest: Manifest) -> str:
    """Return the address to register at the service, nothing where people are not sent there to sign in (§5)."""
    return redirect_uri() if manifest.auth.interaction == "redirect" else ""


def group_fields(form: ManifestForm, secrets: Mapping[str, ConfigurationSecret]) -> Groups:
    """Return the form's fields under their groups' titles, each with what is known of its secret."""
    required = {field.key for field in form.described if field.required}
    return [
        (title, [_describe(bound, secrets.get(bound.name), required=bound.name in required) for bound in fields])
        for title, fields in form.groups()
    ]


def describe_fields(
    form: ManifestForm, keys: Collection[str], secrets: Mapping[str, ConfigurationSecret]
) -> list[ConfigurationField]:
    """Return some of the form's fields in its own order, each with what is known of its secret."""
    chosen = [one for one in form.described if one.key in keys]
    return [_describe(form[one.key], secrets.get(one.key), required=one.required) for one in chosen]


def draw_one_off(manifest: Manifest, texts: Texts) -> ManifestForm | None:
    """Return the questions a person would be asked, for the length of one test; None when nobody is asked."""
    if manifest.auth.strategy != "static_credentials":
        return None
    form = ManifestForm(None, fields=manifest.auth.fields, texts=texts, default_locale=manifest.default_locale)
    form.prefix = ONE_OFF
    form.auto_id = "one-off-%s"
    return form


def read_one_off(manifest: Manifest, data: Mapping[str, Any]) -> dict[str, Secret]:
    """Return the credential typed for one test; nothing typed is no credential, not a fault."""
    if manifest.auth.strategy != "static_credentials":
        return {}
    raw = {field.key: str(data.get(f"{ONE_OFF}-{field.key}", "")) for field in manifest.auth.fields}
    if not any(raw.values()):
        return {}
    try:
        values = parse_values(manifest.auth.fields, raw)
    except Invalid as error:
        raise Invalid([Fault(each.code, f"{ONE_OFF}-{each.where}", each.parameters) for each in error.faults]) from None
    return {key: Secret(str(value)) for key, value in values.public.items()} | values.secrets


def open_typed(form: ManifestForm, connector: Connector | None) -> OpenConfiguration | None:
    """Return what the form says over what is stored, or None with the faults on the form."""
    values = form.parse()
    if values is None:
        return None
    stored = open_configuration(connector).secrets if connector else {}
    kept = {key: secret for key, secret in stored.items() if key not in read_cleared(form.data)}
    return OpenConfiguration(public=values.public, secrets=kept | values.secrets)


def read_cleared(data: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(name.removeprefix(CLEAR) for name in data if name.startswith(CLEAR))


def _describe(bound: BoundField, secret: ConfigurationSecret | None, *, required: bool) -> ConfigurationField:
    clearable = secret is not None and not required
    clear_name = CLEAR + bound.name
    return ConfigurationField(bound, secret, clearable, clear_name, clearing=clear_name in bound.form.data)


def _prefilled(field: Any, initial: Mapping[str, Any]) -> bool:
    return not field.is_secret and bool(initial.get(field.key))

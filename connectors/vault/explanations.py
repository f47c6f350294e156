"""What is wrong with the keys, and what to do: for the system check, `manage.py keys` and whoever starts us."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from connectors.errors import ConnectorError

_FAULTS: Final[dict[str, Promise]] = {
    "no_key": _(
        "There is no vault key. Set POCO_VAULT_KEYS or POCO_VAULT_KEYS_FILE to name:key; `manage.py keys generate` "
        "prints one. Keep a copy: without it, stored credentials are lost."
    ),
    "bad_name": _("A vault key's name must be 1 to 63 of a-z, 0-9, dot, hyphen and underscore: name:key,name:key."),
    "not_base64": _("The vault key {key} is not base64. `manage.py keys generate` prints one that is."),
    "wrong_length": _("The vault key {key} has {length} bytes instead of 32."),
    "not_random": _("The vault key {key} is not random. `manage.py keys generate` prints one that is."),
    "repeated_name": _("Two vault keys are named {key}."),
    "repeated_material": _("The vault key {key} is the same as another one under a different name."),
    "readable_by_others": _("Others can read the vault key {path}. Run: chmod 600 {path}"),
    "unreadable": _("The vault key {path} cannot be read: {error}."),
}
_CODES: Final[dict[str, Promise]] = {
    "vault_key_missing": _(
        "The vault key {key} is missing, and values may be sealed with it. Put it back. If nothing uses it, run "
        "`manage.py keys retire {key}`; if it is gone for good, add --lost: what it sealed must be entered again."
    ),
    "vault_key_wrong": _(
        "The vault key {key} is not the one values were sealed with: another key has its name. Put the right one back."
    ),
    "sealed_value_misplaced": _("The value was sealed for another row or field: it was moved or copied."),
    "sealed_value_damaged": _("The value is damaged: its bytes are not what was written."),
}


def explain(error: ConnectorError) -> str:
    """Return the sentence for one of the vault's errors, in the active language."""
    text = _FAULTS.get(str(error.parameters.get("reason"))) or _CODES[error.code]
    return str(text).format(**error.parameters)

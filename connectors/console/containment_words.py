"""What contains packages' programs, in words for the Health page."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from connectors.errors import ConnectorError
from connectors.runtime.containment import Layer, describe_containment

LAYERS: dict[str, tuple[str | Promise, str | Promise]] = {
    "one_use_folder": (_("A folder for one call"), _("Each call works in a fresh copy that is removed afterwards.")),
    "process_tree": (_("Whole process tree ended"), _("Whatever a program starts ends with its call.")),
    "resource_limits": (_("Resource limits"), _("Processes, files, memory and processor time are bounded.")),
    "no_new_privileges": (_("No new privileges"), _("A program cannot gain rights it was not started with.")),
    "scrubbed_environment": (_("Clean environment"), _("Only proxy, locale, PATH and certificate variables.")),
    "unprivileged_user": (_("A user of its own"), _("Programs cannot read this console's files, nor each other's.")),
    "bubblewrap": (_("bubblewrap"), _("Namespaces around each program: nothing writable but its folder.")),
}
REASONS: dict[str, str | Promise] = {
    "not_root": _("The console does not run as root, so programs share its user."),
    "interpreter_unreadable": _("Another user could not read the Python interpreter; install it where all can."),
    "not_chosen": _("Set POCO_PROGRAM_SANDBOX=bubblewrap to use it."),
    "namespaces_forbidden": _("It is chosen, but this system lets it make no namespaces, so programs do not start."),
    "not_installed": _("It is chosen but not installed, so programs do not start. Install bubblewrap."),
}


@dataclass(frozen=True, slots=True)
class LayerWords:
    title: str | Promise
    purpose: str | Promise
    active: bool
    reason: str | Promise


def containment_in_words() -> list[LayerWords]:
    """Return every layer with its state; empty when programs cannot be run on this machine at all."""
    try:
        layers = describe_containment()
    except ConnectorError:
        return []
    return [_told(layer) for layer in layers]


def _told(layer: Layer) -> LayerWords:
    title, purpose = LAYERS[layer.name]
    return LayerWords(title, purpose, layer.active, REASONS.get(layer.reason, layer.reason))

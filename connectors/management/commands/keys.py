"""`manage.py keys`: see, check, rotate and retire the keys everything secret is sealed with."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils.translation import gettext as _

from connectors.audit.heads import renew_signatures
from connectors.audit.recording import record_admin_event
from connectors.errors import Conflict, NotFound
from connectors.vault import key_folder
from connectors.vault.canaries import ensure_canaries
from connectors.vault.errors import CannotOpen, KeyRingFault
from connectors.vault.examination import count_uses, examine_canaries, examine_values
from connectors.vault.explanations import explain
from connectors.vault.key_ring import get_key_ring, make_key_text, own_folder
from connectors.vault.retirement import retire_key
from connectors.vault.rotation import Problem, rotate_values


def _record(act: str, key: str, after: dict[str, Any]) -> None:
    with transaction.atomic():
        record_admin_event(actor=None, act=act, target_kind="vault_key", target_id=key, target_name=key, after=after)


class Command(BaseCommand):
    help = "See, check, rotate and retire the keys everything secret is sealed with."
    requires_system_checks = []  # it must also run while a key is missing

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        acts.add_parser("status", help="list the keys, and how many values each holds")
        acts.add_parser("doctor", help="open every sealed value and name those that do not open")
        rotate = acts.add_parser("rotate", help="seal every value with the active key; may be interrupted and repeated")
        rotate.add_argument(
            "--new", action="store_true", help="make a new active key first (keys kept under var/ only)"
        )
        retire = acts.add_parser("retire", help="take a key out of use once it holds nothing")
        retire.add_argument("name")
        retire.add_argument("--lost", action="store_true", help="the key is gone for good: give up what it holds")
        generate = acts.add_parser("generate", help="print a new entry for POCO_VAULT_KEYS")
        generate.add_argument("name")

    def handle(self, *_args: Any, act: str, **options: Any) -> None:
        try:
            getattr(self, f"_{act}")(options)
        except (KeyRingFault, CannotOpen) as error:
            raise CommandError(explain(error)) from error

    def _generate(self, options: dict[str, Any]) -> None:
        self.stdout.write(f"{options['name']}:{make_key_text()}")

    def _status(self, _options: dict[str, Any]) -> None:
        ring, uses, canaries = get_key_ring(), count_uses(), examine_canaries()
        for name in sorted({*ring.keys, *canaries} | {key for counter in uses.values() for key in counter if key}):
            states = [_("active")] if name == ring.active.name else []
            fault = canaries.get(name)
            if name not in ring.keys:
                states.append(_("MISSING"))
            elif fault:
                states.append(_("WRONG"))
            held = ", ".join(f"{label} {counter[name]}" for label, counter in uses.items() if counter[name])
            self.stdout.write(f"{name:<20} {' '.join(states):<16} {held or _('holds nothing')}")
        damaged = sum(counter[""] for counter in uses.values())
        if damaged:
            self.stdout.write(self.style.ERROR(_("%(count)d damaged: see doctor") % {"count": damaged}))

    def _doctor(self, _options: dict[str, Any]) -> None:
        get_key_ring()  # without one, saying so comes before everything else
        faults = [error for error in examine_canaries().values() if error]
        for error in faults:
            self.stdout.write(self.style.ERROR(explain(error)))
        problems = examine_values()
        self._show(problems)
        if faults or problems:
            raise CommandError(_("%(count)d problems found.") % {"count": len(faults) + len(problems)})
        self.stdout.write(_("Every key is right and every value opens."))

    def _rotate(self, options: dict[str, Any]) -> None:
        if options["new"]:
            folder = own_folder()
            if not folder:
                raise CommandError(_("The keys come from POCO_VAULT_KEYS: put the new one first there, and restart."))
            key_folder.add_key(folder)
        ensure_canaries()
        done = rotate_values()
        renew_signatures()
        active = get_key_ring().active.name
        _record("vault_keys_rotated", active, {"resealed": done.resealed, "problems": len(done.problems)})
        self._show(done.problems)
        counts = {"resealed": done.resealed, "already": done.already_active, "changed": done.changed_meanwhile}
        self.stdout.write(
            _("%(resealed)d sealed anew, %(already)d already were, %(changed)d changed meanwhile.") % counts
        )
        if done.problems or done.changed_meanwhile:
            raise CommandError(_("Not everything is sealed with the active key yet: mend what is named, and repeat."))

    def _retire(self, options: dict[str, Any]) -> None:
        name = options["name"]
        try:
            with transaction.atomic():
                if name != get_key_ring().active.name:
                    renew_signatures(unseen=options["lost"])
                kept = retire_key(name=name, lost=options["lost"])
                _record("vault_key_retired", name, {"lost": options["lost"]})
        except NotFound as error:
            raise CommandError(_("There is no key named %(name)s.") % {"name": name}) from error
        except Conflict as error:
            if error.code == "vault_key_active":
                raise CommandError(
                    _("%(key)s is the active key. Rotate to another one first.") % error.parameters
                ) from error
            raise CommandError(
                _("%(key)s still holds values, or damaged ones may be its own: rotate first.") % error.parameters
            ) from error
        if kept:
            self.stdout.write(_("Retired. The key is kept at %(path)s for old backups.") % {"path": kept})
        else:
            self.stdout.write(_("Retired. Take %(name)s out of POCO_VAULT_KEYS now.") % {"name": name})

    def _show(self, problems: list[Problem]) -> None:
        for problem in problems:
            self.stdout.write(self.style.ERROR(f"{problem.column} {problem.row}: {explain(problem.error)}"))

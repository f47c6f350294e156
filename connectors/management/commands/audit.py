"""`manage.py audit`: verify the administrative log, keep its signed head elsewhere, take logs out as files."""

import os
import sys
from argparse import ArgumentTypeError
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, cast

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from django.utils.translation import gettext as _

from connectors.audit.checks import check_chain
from connectors.audit.export import Format, Kind, export_rows
from connectors.audit.heads import Head, export_head, read_head
from connectors.audit.models import ChainCheck
from connectors.errors import Refused
from connectors.management.audit_filters import KINDS, FilterUnreadable, read_filters, read_moment, read_zone
from connectors.vault.canaries import check_canaries
from connectors.vault.errors import CannotOpen, KeyRingFault
from connectors.vault.explanations import explain

BROKEN: Final = 1
NOT_VERIFIED: Final = 2


class Command(BaseCommand):
    help = "Verify the administrative log, export its signed head, export logs."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        verify = acts.add_parser(
            "verify",
            help="walk the chain of admin events; exit code 0: whole, 1: broken, 2: could not be verified",
        )
        verify.add_argument(
            "--head", action="append", default=[], metavar="FILE", help="a head exported earlier and kept elsewhere"
        )
        verify.add_argument("--quiet", action="store_true", help="say nothing while everything is right (for cron)")
        head = acts.add_parser("head", help="export the signed head, to be kept where this installation cannot write")
        head.add_argument("--output", default="-", metavar="FILE")
        self._add_export(acts.add_parser("export", help="write a log as CSV or JSON Lines"))

    def _add_export(self, export: CommandParser) -> None:
        export.add_argument("--kind", choices=KINDS, default="calls")
        export.add_argument("--since", metavar="TIME", help="2026-03-29, 2026-03-29T02:30, 7d or 12h (ago)")
        export.add_argument("--until", metavar="TIME", help="the end, itself left out")
        export.add_argument(
            "--where", action="append", default=[], metavar="FIELD=VALUE", help="a filter of the log's page"
        )
        export.add_argument("--columns", help="comma-separated; all without it")
        export.add_argument("--format", choices=("csv", "jsonl"), default="jsonl")
        export.add_argument("--zone", default=settings.TIME_ZONE, help="time zone of what is read and written")
        export.add_argument("--limit", type=_count, metavar="ROWS", help="the newest so many rows, 1 or more")
        export.add_argument("--output", default="-", metavar="FILE")

    def handle(self, *_args: Any, act: str, **options: Any) -> None:
        getattr(self, f"_{act}")(options)

    def _verify(self, options: dict[str, Any]) -> None:
        heads = [_read_head(Path(name)) for name in options["head"]]
        try:
            check_canaries()  # with another key of the same name every signature would seem forged
            check = check_chain(heads=heads)
        except (KeyRingFault, CannotOpen) as error:
            raise CommandError(explain(error), returncode=NOT_VERIFIED) from error
        except DatabaseError as error:
            told = _("The log could not be read: %(reason)s") % {"reason": error}
            raise CommandError(told, returncode=NOT_VERIFIED) from error
        if not check.ok:
            raise CommandError(_tell_fault(check), returncode=BROKEN)
        if options["quiet"]:
            return
        told = _("%(checked)d events are whole, up to number %(head)d.")
        self.stdout.write(told % {"checked": check.checked, "head": check.head_sequence})
        if check.unchained:
            self.stdout.write(
                _("%(count)d events of before there was a chain are not covered.") % {"count": check.unchained}
            )

    def _head(self, options: dict[str, Any]) -> None:
        data = export_head()
        if data is None:
            raise CommandError(_("There is no administrative event yet."), returncode=NOT_VERIFIED)
        _write(options["output"], iter([data]))

    def _export(self, options: dict[str, Any]) -> None:
        kind = cast("Kind", options["kind"])
        try:
            zone = read_zone(options["zone"])
            filters = read_filters(
                kind,
                options["where"],
                since=read_moment(options["since"], zone),
                until=read_moment(options["until"], zone, latest=True),
            )
            pieces = export_rows(
                kind=kind,
                filters=filters,
                format=cast("Format", options["format"]),
                zone=zone,
                actor=None,
                columns=options["columns"].split(",") if options["columns"] else None,
                limit=options["limit"],
            )
        except FilterUnreadable as error:
            raise CommandError(str(error)) from error
        except Refused as error:
            names = ", ".join(error.parameters["names"])
            raise CommandError(_("There is no column %(names)s.") % {"names": names}) from error
        _write(options["output"], pieces)


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ArgumentTypeError(text)
    return number


def _read_head(path: Path) -> Head:
    try:
        return read_head(path.read_bytes())
    except (OSError, Refused) as error:
        told = _("%(path)s is no exported head, or cannot be read.") % {"path": path}
        raise CommandError(told, returncode=NOT_VERIFIED) from error


def _write(output: str, pieces: Iterable[bytes]) -> None:
    """To standard output, or into a new file that only its owner reads; of a file that could not be finished nothing
    stays, for it would look like a whole one."""
    if output == "-":
        _write_out(pieces)
        return
    made = False
    try:
        with open(output, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            made = True
            file.writelines(pieces)
    except OSError as error:
        raise CommandError(f"{output}: {error.strerror}") from error
    else:
        made = False
    finally:
        if made:
            Path(output).unlink(missing_ok=True)


def _write_out(pieces: Iterable[bytes]) -> None:
    try:
        sys.stdout.buffer.writelines(pieces)
        sys.stdout.buffer.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still buffered must not fail again
        raise CommandError(_("The file is not whole: %(reason)s.") % {"reason": error.strerror}) from error


def _tell_fault(check: ChainCheck) -> str:
    told = {
        "altered": _("Event %(sequence)d (%(id)s) was altered."),
        "removed": _("Events are missing from number %(sequence)d on."),
        "reordered": _("Events changed places at number %(sequence)d (%(id)s)."),
        "truncated": _("The newest events are missing, from number %(sequence)d on."),
        "inserted": _("Event %(id)s was put there past the chain (number %(sequence)d)."),
        "rewritten": _("Up to number %(sequence)d the chain is not the one that was signed: rewritten, or restored."),
        "restored": _("The chain once went on to number %(sequence)d: an older state was restored."),
        "signature": _("The signature at number %(sequence)d is not ours."),
        "key_missing": _("The key that signed at number %(sequence)d is not in the key ring."),
    }[check.fault]
    return told % {"sequence": check.fault_sequence, "id": check.fault_event_id or "–"}

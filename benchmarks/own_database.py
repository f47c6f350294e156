"""A database and a folder of a measurement's own, which can be kept and measured again. Needs no Django.

    own = OwnDatabase.of(options, "pages")   # the environment is set; Django may be imported now
    with own.opened(): …            # `own.is_new` says whether it is still to be filled

A kept one has a name: that of its folder under the system's temporary folder, and of its PostgreSQL database.
"""

import argparse
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--database", default="", help="a PostgreSQL server; without it SQLite")
    parser.add_argument("--keep", action="store_true", help="leave what was made; its name is printed")
    parser.add_argument("--use", metavar="NAME", default="", help="measure a kept one again; it stays")
    parser.add_argument("--drop", action="store_true", help="do away with the one used, at the end")


@dataclass(frozen=True)
class OwnDatabase:
    name: str
    server: str  # its URL; nothing is SQLite
    is_new: bool
    is_kept: bool

    @classmethod
    def of(cls, options: argparse.Namespace, kind: str) -> "OwnDatabase":
        """Make or find the folder, and set the environment to it; the database is made by `opened`."""
        name: str = options.use or f"poco_{kind}_{os.getpid()}"
        kept = not options.drop if options.use else options.keep
        own = cls(name, options.database, is_new=not options.use, is_kept=kept)
        if own.is_new:
            (own.folder / "static").mkdir(parents=True)
        elif not own.folder.is_dir():
            raise SystemExit(f"nothing is kept as {name}")
        own._set_environment()
        return own

    @property
    def folder(self) -> Path:
        return Path(tempfile.gettempdir()) / self.name

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Have the database; what is not kept is gone afterwards."""
        try:
            if self.server and self.is_new:
                self._tell_server(f"CREATE DATABASE {self.name}")
            yield
        finally:
            if self.is_kept:
                print(f"kept: --use {self.name}", flush=True)
            else:
                if self.server:
                    self._tell_server(f"DROP DATABASE IF EXISTS {self.name} WITH (FORCE)")
                shutil.rmtree(self.folder)

    def _set_environment(self) -> None:
        os.environ |= {
            "POCO_VAR_DIR": str(self.folder),
            "DJANGO_SETTINGS_MODULE": "poco.settings",
            "LOG_LEVEL": "ERROR",
        }
        os.environ.pop("DATABASE_URL", None)
        if self.server:
            os.environ["DATABASE_URL"] = urlunsplit(urlsplit(self.server)._replace(path=f"/{self.name}"))

    def _tell_server(self, statement: str) -> None:
        import psycopg  # noqa: PLC0415 - only where it is needed

        with psycopg.connect(self.server, autocommit=True) as server:
            server.execute(statement)

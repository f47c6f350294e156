"""The example server's notes: a small SQLite file, so that a restart finds them as they were left."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from mcp.server.mcpserver.exceptions import ToolError

_SEED = (
    ("Team offsite", "Two days in Hangzhou, 14-15 May. Budget approved. Book the train by Friday."),
    ("Vendor call notes", "They can deliver in six weeks. Ask again about the support hours and the exit clause."),
    ("季度复盘", "本季度完成了连接器网关的上线。下季度重点：审计日志检索与权限收敛。"),
    ("Release checklist", "Freeze on Tuesday, changelog on Wednesday, tag on Thursday, announce on Friday."),
)


@dataclass(frozen=True, slots=True)
class Note:
    id: int
    title: str
    body: str


class NoteNotFoundError(ToolError):
    """No note has this number; the text reaches who called the tool."""


class Notebook:
    """Notes in the file at `path`, which is made and seeded when absent."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._open() as database:
            made = database.execute("SELECT 1 FROM sqlite_master WHERE name = 'notes'").fetchone() is None
            if made:
                database.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL)")
                database.executemany("INSERT INTO notes (title, body) VALUES (?, ?)", _SEED)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path)) as database, database:
            yield database

    def search(self, query: str, limit: int) -> list[Note]:
        """Return notes whose title or text contains the query, newest first."""
        with self._open() as database:
            rows = database.execute(
                "SELECT id, title, body FROM notes WHERE instr(lower(title || ' ' || body), lower(?))"
                " ORDER BY id DESC LIMIT ?",
                (query, limit),
            ).fetchall()
        return [Note(*row) for row in rows]

    def read(self, note_id: int) -> Note:
        with self._open() as database:
            row = database.execute("SELECT id, title, body FROM notes WHERE id = ?", (note_id,)).fetchone()
        if row is None:
            msg = f"There is no note {note_id}. Use search_notes to find its number."
            raise NoteNotFoundError(msg)
        return Note(*row)

    def create(self, title: str, body: str) -> Note:
        with self._open() as database:
            cursor = database.execute("INSERT INTO notes (title, body) VALUES (?, ?)", (title, body))
            return Note(int(cursor.lastrowid or 0), title, body)

    def delete(self, note_id: int) -> Note:
        note = self.read(note_id)
        with self._open() as database:
            database.execute("DELETE FROM notes WHERE id = ?", (note_id,))
        return note

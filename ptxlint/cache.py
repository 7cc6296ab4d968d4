"""Results of earlier checks on disk, found again by all that they depend on.

One SQLite file, which processes may use at the same time. A key is a digest of texts, options, the
version and the analysis's own code, so that no entry is ever out of date. When the file is too
large, the entries that were not used for the longest time go. A file that cannot be read is made
anew. Entries are JSON, which has numbers of any size, read as values of the type that is asked for:
an entry of another type is none, whatever the file holds.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from time import time
from typing import TypeVar

from msgspec import DecodeError, json

from ptxlint.version import VERSION

FILE = "results.sqlite"
SCHEMA = 3
LARGEST = 2**28  # bytes of the file
KEPT = 0.75  # of them, when there are more
TOGETHER = 256  # entries that are read or written at once
WAIT = 5.0  # seconds for another process to finish its writing
DAY = 86_400  # seconds: the time of the last use is noted once a day
PACKAGES = ("analyses", "ptxlint")

TABLE = """
CREATE TABLE results (key BLOB PRIMARY KEY, value BLOB NOT NULL, used INTEGER NOT NULL)
"""
EVICT = """
DELETE FROM results WHERE key IN (
  SELECT key FROM (
    SELECT key, SUM(LENGTH(value)) OVER (ORDER BY used DESC, rowid DESC) AS total FROM results)
  WHERE total > ?)
"""


def default_folder() -> Path:
    """Where the user's caches are on this platform. Raises OSError if that is not known."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(given):
        return Path(given) / "ptxlint"
    try:
        home = Path.home()
    except RuntimeError as error:
        raise OSError(str(error)) from None
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "ptxlint"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "ptxlint"
    return home / ".cache" / "ptxlint"


T = TypeVar("T")


class Cache:
    """The results in a folder. ``warn`` gets a line about a file that is made anew. Raises OSError
    if the folder cannot be used."""

    def __init__(self, folder: Path, warn: Callable[[str], None]) -> None:
        self.path = folder / FILE
        self.new: dict[bytes, bytes] = {}
        self.used: list[bytes] = []
        self.today = int(time()) // DAY
        folder.mkdir(parents=True, exist_ok=True)
        try:
            self.database = self._open(warn)
            self.code = self._code()
        except sqlite3.Error as error:
            raise OSError(str(error)) from None

    def _open(self, warn: Callable[[str], None]) -> sqlite3.Connection:
        try:
            return opened(self.path)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            warn(f"{self.path}: {error}; the cache is made anew")
            self.path.unlink()
            return opened(self.path)

    def close(self) -> None:
        """Writes what is new."""
        self._write()
        self.database.close()

    # --- keys

    def key(self, *parts: str) -> bytes:
        """The key of what depends on these texts alone."""
        return digest(self.code, *parts)

    def _code(self) -> str:
        """A digest of the analysis's own code. It is looked up by the sizes and times of the
        files."""
        root = Path(__file__).parents[1]
        files = sorted(file for name in PACKAGES for file in python_files(str(root / name)))
        state = digest(*(f"{path}:{size}:{changed}" for path, size, changed in files))
        found = self.get([state], str).get(state)
        if found is None:
            each = (f"{Path(p).relative_to(root)}:{Path(p).read_text('utf-8')}" for p, *_ in files)
            found = digest(VERSION, str(sys.version_info[:2]), *each).hex()
            self.put(state, found)
        return found

    # --- entries

    def get(self, keys: Iterable[bytes], kind: type[T]) -> dict[bytes, T]:
        """The values of those keys that are there."""
        wanted, found = list(keys), dict[bytes, T]()
        try:
            for start in range(0, len(wanted), TOGETHER):
                some = wanted[start : start + TOGETHER]
                marks = ",".join("?" * len(some))
                query = f"SELECT key, value, used FROM results WHERE key IN ({marks})"
                for key, value, used in self.database.execute(query, some):
                    found[key] = json.decode(zlib.decompress(value), type=kind)
                    self.used += [key] * (used < self.today)
        except (sqlite3.Error, zlib.error, DecodeError):
            pass  # what is found counts, the rest is computed
        return found

    def put(self, key: bytes, value: object) -> None:
        """Keeps the value, unless a name of a file in it is no Unicode: JSON has none."""
        try:
            self.new[key] = zlib.compress(json.encode(value), 1)
        except UnicodeEncodeError:
            return
        if len(self.new) >= TOGETHER:
            self._write()

    def _write(self) -> None:
        """Writes what is new and when entries were used. Where that fails, they are not kept."""
        if not self.new and not self.used:
            return
        rows = [(key, value, self.today) for key, value in self.new.items()]
        try:
            with self.database:
                self.database.execute("BEGIN IMMEDIATE")
                self.database.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", rows)
                times = [(self.today, key) for key in self.used]
                self.database.executemany("UPDATE results SET used = ? WHERE key = ?", times)
                if size(self.database) > LARGEST:
                    self.database.execute(EVICT, [int(LARGEST * KEPT)])
        except sqlite3.Error:
            pass
        self.new, self.used = {}, []


def opened(path: Path) -> sqlite3.Connection:
    """The database of this schema. Raises DatabaseError if the file is another."""
    database = sqlite3.connect(path, timeout=WAIT, isolation_level=None)
    try:
        # A crash of the machine may cost the file, which is then made anew.
        database.execute("PRAGMA synchronous = OFF")
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version != SCHEMA:
            with database:
                database.execute("BEGIN IMMEDIATE")
                (version,) = database.execute("PRAGMA user_version").fetchone()
                if version not in (0, SCHEMA):
                    raise sqlite3.DatabaseError(f"schema {version}, expected {SCHEMA}")
                if version == 0:
                    database.execute(TABLE)
                    database.execute(f"PRAGMA user_version = {SCHEMA}")
    except BaseException:
        database.close()
        raise
    return database


def size(database: sqlite3.Connection) -> int:
    """The bytes of the pages in use."""
    pages, free, each = (
        int(database.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * each


def digest(*parts: str) -> bytes:
    """Of the texts, each with its length: no two lists of texts are taken for each other."""
    found = blake2b(digest_size=20)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        found.update(len(data).to_bytes(8, "little"))
        found.update(data)
    return found.digest()


def python_files(folder: str) -> Iterator[tuple[str, int, int]]:
    """The Python files in a folder, each with its size and the time of its last change."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns
            elif entry.is_dir() and not entry.name.startswith(("_", ".")):
                yield from python_files(entry.path)

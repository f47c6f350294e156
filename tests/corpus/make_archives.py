"""Write the corpus: `python -m tests.corpus.make_archives FOLDER` makes FOLDER/accept and FOLDER/reject.

No archive is kept in the repository: each is made by a line of code that says what is odd about it. `expected.json`
beside them names the fault codes of each.
"""

import json
import sys
from pathlib import Path

from tests.corpus.case import Case
from tests.corpus.honest import HONEST
from tests.corpus.large_entries import HONEST_LARGE, LARGE_ENTRIES
from tests.corpus.odd_contents import CONTENTS
from tests.corpus.odd_entries import ENTRIES
from tests.corpus.odd_names import NAMES
from tests.corpus.odd_structures import STRUCTURES

ACCEPT: list[Case] = [*HONEST, *HONEST_LARGE]
REJECT: list[Case] = [*STRUCTURES, *ENTRIES, *LARGE_ENTRIES, *NAMES, *CONTENTS]


def make_archives(folder: Path) -> int:
    """Write every archive into its place and return how many there are."""
    expected: dict[str, list[str]] = {}
    for kind, found in (("accept", ACCEPT), ("reject", REJECT)):
        (folder / kind).mkdir(parents=True, exist_ok=True)
        for case in found:
            (folder / kind / f"{case.name}.zip").write_bytes(case.make())
            expected[f"{kind}/{case.name}"] = sorted(case.codes)
    (folder / "expected.json").write_text(json.dumps(expected, indent=2), encoding="utf-8")
    return len(expected)


if __name__ == "__main__":
    sys.stdout.write(f"{make_archives(Path(sys.argv[1]))} archives\n")

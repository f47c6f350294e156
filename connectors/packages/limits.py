"""The limits of a package (handbook §1, §4; our own where it is silent)."""

MIB = 1024 * 1024

MAX_ZIP_BYTES = 100 * MIB  # §1: the hard ceiling above MAX_UPLOAD_SIZE_MB
MAX_INFLATED_BYTES = 400 * MIB  # §1
INFLATED_PER_ZIP = 4  # §1: inflated bytes ≤ four times the allowed ZIP size
MAX_ENTRIES = 10_000
MAX_RECORDS = 4 * MAX_ENTRIES  # raw records, before `.DS_Store` and `__MACOSX` are dropped: bounds the work
MAX_DIRECTORY_BYTES = 16 * MIB  # the central directory is read whole
MAX_PATH_BYTES = 512
MAX_PART_BYTES = 255
MAX_MANIFEST_BYTES = MIB
MAX_LOCALE_BYTES = MIB
MAX_TEXTS_BYTES = 8 * MIB  # all locale files together: their texts are held in memory
MAX_ICON_BYTES = 512 * 1024  # §4
MAX_SKILL_BYTES = MIB
MAX_RENDERED_BYTES = 64 * 1024  # of one SKILL.md; a longer one is shown as it is: Markdown can be made slow to read
MAX_RENDERED_TOGETHER = 256 * 1024
MAX_FRONT_MATTER_BYTES = 16 * 1024
MAX_FAULTS = 200  # in one report; more would help nobody


def inflated_limit(max_zip_bytes: int) -> int:
    """Return how many bytes an archive of at most `max_zip_bytes` may inflate to (§1)."""
    return min(INFLATED_PER_ZIP * max_zip_bytes, MAX_INFLATED_BYTES)


def size_text(size: int) -> str:
    """Return a limit as people write it."""
    return f"{size // MIB} MiB" if size % MIB == 0 else f"{size // 1024} KiB" if size % 1024 == 0 else f"{size} bytes"

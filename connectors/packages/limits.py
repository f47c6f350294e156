"""The limits of a package (handbook §1, §4; our own where it is silent)."""

MIB = 1024 * 1024

MAX_ZIP_BYTES = 100 * MIB  # §1: the hard ceiling above MAX_UPLOAD_SIZE_MB
MAX_INFLATED_BYTES = 400 * MIB  # §1
INFLATED_PER_ZIP = 4  # §1: inflated bytes ≤ four times the allowed ZIP size
MAX_ENTRIES = 10_000
MAX_PATH_BYTES = 512
MAX_PART_BYTES = 255
MAX_MANIFEST_BYTES = MIB
MAX_LOCALE_BYTES = MIB
MAX_ICON_BYTES = 512 * 1024  # §4
MAX_SKILL_BYTES = 256 * 1024  # SKILL.md is read by people and models; references may be as large as they like


def inflated_limit(max_zip_bytes: int) -> int:
    """Return how many bytes an archive of at most `max_zip_bytes` may inflate to (§1)."""
    return min(INFLATED_PER_ZIP * max_zip_bytes, MAX_INFLATED_BYTES)

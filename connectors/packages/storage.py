"""Where archives live: a folder or an S3 bucket, with the same conditional put; nothing is ever overwritten."""

from functools import lru_cache

from django.conf import settings

from connectors.packages.folder_store import FolderStore
from connectors.packages.stored import ObjectExists, ObjectMissing, ObjectStore, StoredKey, StoreUnavailable

__all__ = [
    "FolderStore",
    "ObjectExists",
    "ObjectMissing",
    "ObjectStore",
    "StoreUnavailable",
    "StoredKey",
    "get_object_store",
]


def get_object_store() -> ObjectStore:
    """Return the store the settings name: a bucket when S3_BUCKET is set, else a folder."""
    if not settings.S3_BUCKET:
        return FolderStore(settings.OBJECT_STORE_DIR)
    return _connect(
        settings.S3_BUCKET,
        settings.S3_ENDPOINT_URL,
        settings.S3_REGION,
        settings.S3_ACCESS_KEY_ID,
        settings.S3_SECRET_ACCESS_KEY,
    )


@lru_cache(maxsize=4)
def _connect(bucket: str, endpoint_url: str, region: str, access_key_id: str, secret_access_key: str) -> ObjectStore:
    from connectors.packages.s3_store import S3Store  # noqa: PLC0415 - boto3 costs half a second of every start

    return S3Store(
        bucket,
        endpoint_url=endpoint_url,
        region=region,
        access_key_id=access_key_id,
        secret_access_key=secret_access_key,
    )

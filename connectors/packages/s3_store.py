"""An object store in an S3 bucket: `If-None-Match: *` makes the put conditional (S3 API, PutObject)."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from connectors.packages.object_keys import check_key
from connectors.packages.stored import ObjectExists, ObjectMissing, StoredKey, StoreUnavailable
from connectors.packages.whole_file import BLOCK, write_whole

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

# 409 is S3's answer while another conditional put of the same key is under way: one of the two wins.
_TAKEN = {"PreconditionFailed", "ConditionalRequestConflict", "412", "409"}
_ABSENT = {"NoSuchKey", "404"}
_CONFIG = Config(
    connect_timeout=5,
    read_timeout=60,
    retries={"mode": "standard", "max_attempts": 3},
    # Checksums that every S3-compatible store knows; integrity is checked by our own digest on reading.
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
)


class S3Store:
    """Objects in a bucket. Without keys of its own it uses the machine's role, as boto3 finds it."""

    def __init__(
        self,
        bucket: str,
        *,
        endpoint_url: str = "",
        region: str = "",
        access_key_id: str = "",
        secret_access_key: str = "",
    ) -> None:
        self._bucket = bucket
        # A session of our own: boto3's shared one is not safe between threads.
        self._client: S3Client = boto3.session.Session().client(
            "s3",
            endpoint_url=endpoint_url or None,
            region_name=region or None,
            aws_access_key_id=access_key_id or None,
            aws_secret_access_key=secret_access_key or None,
            config=_CONFIG,
        )

    def put_if_absent(self, key: str, source: Path) -> None:
        """Store the file whole or not at all; raise ObjectExists when the key is taken."""
        with _translated(key), source.open("rb") as body:
            self._client.put_object(Bucket=self._bucket, Key=check_key(key), Body=body, IfNoneMatch="*")

    def fetch(self, key: str, target: Path) -> None:
        """Write the object to `target` whole or not at all; raise ObjectMissing when there is none."""
        with _translated(key):
            body = self._client.get_object(Bucket=self._bucket, Key=check_key(key))["Body"]
            with closing(body):
                write_whole(body.iter_chunks(BLOCK), target, lambda part: part.replace(target))

    def delete(self, key: str) -> None:
        """Remove the object; a missing one is fine."""
        with _translated(key):
            self._client.delete_object(Bucket=self._bucket, Key=check_key(key))

    def list_keys(self, prefix: str) -> Iterator[StoredKey]:
        """Yield the keys that start with `prefix`, with when they were stored."""
        with _translated(prefix):
            for page in self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix):
                for found in page.get("Contents", ()):
                    yield StoredKey(found["Key"], found["LastModified"])


@contextmanager
def _translated(key: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        code = _code_of(error.response)
        if code in _TAKEN:
            raise ObjectExists(key=key) from error
        if code in _ABSENT:
            raise ObjectMissing(key=key) from error
        raise StoreUnavailable(reason=code) from error
    except BotoCoreError as error:
        raise StoreUnavailable(reason=type(error).__name__) from error


def _code_of(response: Any) -> str:
    return str(response.get("Error", {}).get("Code", "error"))

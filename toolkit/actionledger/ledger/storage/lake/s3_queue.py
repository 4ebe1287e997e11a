"""A queue in S3: hosts ship a few objects a minute each, under a prefix of their own."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from actionledger.core.errors import require
from actionledger.ledger.storage.lake.place import S3

require("A queue in S3", "lake", "boto3")

import boto3  # noqa: E402
from botocore.config import Config  # noqa: E402
from botocore.exceptions import BotoCoreError, ClientError  # noqa: E402

_AT_ONCE = 1000
"""The number of objects that one request deletes."""

_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")


class S3Queue:
    """A queue at ``s3://BUCKET/PREFIX/``, with the credentials that the AWS tools find."""

    def __init__(self, path: str) -> None:
        self._bucket, _, self._prefix = path.removeprefix(S3).partition("/")
        is_elsewhere = any(os.environ.get(name) for name in _ENDPOINTS)
        style = {"addressing_style": "path"} if is_elsewhere else {}
        with _as_os_error():
            self._client: Any = boto3.client(
                "s3", config=Config(s3=style, retries={"mode": "standard", "max_attempts": 5})
            )

    def put(self, name: str, data: bytes) -> None:
        """Write an object; S3 stores it whole or not at all."""
        with _as_os_error():
            self._client.put_object(Bucket=self._bucket, Key=self._prefix + name, Body=data)

    def get(self, name: str) -> bytes | None:
        """Read an object."""
        with _as_os_error():
            try:
                found: bytes = self._client.get_object(Bucket=self._bucket, Key=self._prefix + name)[
                    "Body"
                ].read()
            except self._client.exceptions.NoSuchKey:
                return None
        return found

    def names(self, prefix: str = "") -> list[str]:
        """List the prefix: the objects that were shipped and are not yet in the lake."""
        with _as_os_error():
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self._bucket, Prefix=self._prefix + prefix
            )
            keys = [entry["Key"] for page in pages for entry in page.get("Contents", ())]
        return [key.removeprefix(self._prefix) for key in keys]

    def remove(self, names: Iterable[str]) -> None:
        """Delete objects, a thousand in a request."""
        left = [{"Key": self._prefix + name} for name in names]
        with _as_os_error():
            for first in range(0, len(left), _AT_ONCE):
                self._client.delete_objects(
                    Bucket=self._bucket, Delete={"Objects": left[first : first + _AT_ONCE], "Quiet": True}
                )


@contextmanager
def _as_os_error() -> Iterator[None]:
    """Raise S3's errors as OSError, as a disk would; botocore's messages hold no credentials."""
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise OSError(f"S3 can't be used: {error}") from error

"""A client whose policy, names and certificates belong to the test."""

import datetime as dt
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from connectors.egress.client import EgressClient, Timeouts
from connectors.egress.policy import EgressPolicy

SOON = Timeouts(total=5.0)
LOOPBACK = ("127.0.0.0/8", "::1")


@pytest.fixture
async def make_client() -> AsyncIterator[Callable[..., EgressClient]]:
    """Make clients that end with the test."""
    made: list[EgressClient] = []

    def make(
        private_hosts: tuple[str, ...] = LOOPBACK,
        names: dict[str, list[str]] | None = None,
        resolve: Callable[[str, int], Awaitable[list[str]]] | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> EgressClient:
        async def look_up(host: str, _port: int) -> list[str]:
            return (names or {})[host]

        client = EgressClient(policy=EgressPolicy(private_hosts), resolve=resolve or look_up, tls_context=tls)
        made.append(client)
        return client

    yield make
    for client in made:
        await client.close()


@pytest.fixture
async def client(make_client) -> EgressClient:
    return make_client()


@dataclass
class Certificates:
    server: ssl.SSLContext
    trusting: ssl.SSLContext


@pytest.fixture
def certificates(tmp_path: Path) -> Certificates:
    """A certificate for 127.0.0.1 and tls.test, and a client context that trusts it."""
    return make_certificates(tmp_path)


def make_certificates(folder: Path, *, names: tuple[str, ...] = ("tls.test",), days: int = 1) -> Certificates:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = dt.datetime.now(dt.UTC)
    alternatives = [*(x509.DNSName(name) for name in names), x509.IPAddress(ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=9))
        .not_valid_after(now + dt.timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "server.pem"
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(pem + private)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(path)
    return Certificates(server, ssl.create_default_context(cadata=pem.decode()))

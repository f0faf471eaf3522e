"""A certificate of our own: WebXR exists only on pages that come over HTTPS.

A small authority is made once and signs the server's certificate, which holds the
machine's addresses and is renewed when they change. Headsets that let the user proceed
past a warning need nothing else; those that do not get the authority installed.
Each file holds a key with its certificate, so that both are replaced in one step.
"""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import os
import ssl
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from teleop.web.errors import WebError

AUTHORITY_FILE = "authority.pem"
SERVER_FILE = "server.pem"
AUTHORITY_DAYS = 3650
SERVER_DAYS = 397
"""Browsers refuse server certificates that are valid for much longer."""
RENEW_DAYS = 14
"""A certificate that ends sooner is renewed."""

Key = ec.EllipticCurvePrivateKey


@dataclass(frozen=True, kw_only=True)
class Identity:
    """The files a server needs for HTTPS.

    Attributes:
        context: For the listening socket.
        authority_pem: Certificate to install where a warning cannot be passed.
        renewed: Why a new certificate was made now; None if the old one still holds.
    """

    context: ssl.SSLContext
    authority_pem: bytes
    renewed: str | None


@dataclass(frozen=True, kw_only=True)
class _Pair:
    key: Key
    certificate: x509.Certificate

    def certificate_pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    def pem(self) -> bytes:
        key = self.key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        return key + self.certificate_pem()


def config_folder() -> Path:
    """Folder of a user's settings: `wbmpc` below $XDG_CONFIG_HOME or ~/.config."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    # The XDG specification says that relative paths are to be ignored.
    root = Path(base) if os.path.isabs(base) else Path.home() / ".config"
    return root / "wbmpc"


def server_identity(folder: Path, names: Sequence[str]) -> Identity:
    """Read the certificates of a folder, or make those that are missing or unfit.

    Args:
        folder: Where the files are kept; made if it does not exist.
        names: Host names and addresses that the server's certificate has to hold.

    Raises:
        WebError: The folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        authority = _read(folder / AUTHORITY_FILE)
        if authority is None or _ends_soon(authority.certificate):
            authority = _make_authority()
            _write(folder / AUTHORITY_FILE, authority.pem())
        renewed = _unfit(_read(folder / SERVER_FILE), authority, names)
        if renewed:
            server = _make_server(authority, names)
            chain = server.pem() + authority.certificate_pem()
            _write(folder / SERVER_FILE, chain)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(folder / SERVER_FILE)
    except OSError as error:
        reason = error.strerror or error
        raise WebError(f"certificates in {folder}: {reason}") from None
    return Identity(
        context=context, authority_pem=authority.certificate_pem(), renewed=renewed
    )


def _unfit(server: _Pair | None, authority: _Pair, names: Sequence[str]) -> str | None:
    """Why a server's certificate cannot be used, or None."""
    if server is None:
        return "there was none that could be read"
    try:
        server.certificate.verify_directly_issued_by(authority.certificate)
    except (InvalidSignature, ValueError, TypeError):
        return "its authority is new"
    if _ends_soon(server.certificate):
        return "the old one ends soon"
    missing = sorted(set(names) - _names(server.certificate))
    return f"it has to hold {', '.join(missing)}" if missing else None


def _read(path: Path) -> _Pair | None:
    """Key and certificate of a file; None if it is missing or damaged."""
    try:
        text = path.read_bytes()
        key = serialization.load_pem_private_key(text, password=None)
        certificate = x509.load_pem_x509_certificate(text)
    except (FileNotFoundError, ValueError, TypeError):
        return None
    if not isinstance(key, Key) or key.public_key() != certificate.public_key():
        return None
    return _Pair(key=key, certificate=certificate)


def _write(path: Path, content: bytes) -> None:
    """Replace a file in one step; its owner alone can read it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent)  # mode 600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _ends_soon(certificate: x509.Certificate) -> bool:
    left = certificate.not_valid_after_utc - datetime.datetime.now(datetime.UTC)
    return left < datetime.timedelta(days=RENEW_DAYS)


def _names(certificate: x509.Certificate) -> set[str]:
    extension = certificate.extensions.get_extension_for_class(
        x509.SubjectAlternativeName
    )
    return {str(name.value) for name in extension.value}


def _make_authority() -> _Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    name = _common_name("wbmpc teleoperation, this machine's own authority")
    usage = _key_usage(signs_certificates=True)
    builder = (
        _builder(name, key, AUTHORITY_DAYS)
        .issuer_name(name)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
    )
    return _Pair(key=key, certificate=builder.sign(key, hashes.SHA256()))


def _make_server(authority: _Pair, names: Sequence[str]) -> _Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    public = authority.key.public_key()
    builder = (
        _builder(_common_name("wbmpc teleoperation"), key, SERVER_DAYS)
        .issuer_name(authority.certificate.subject)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_key_usage(signs_certificates=False), critical=True)
        .add_extension(
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False
        )
        .add_extension(
            x509.SubjectAlternativeName([_general_name(n) for n in names]),
            critical=False,
        )
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(public), critical=False
        )
    )
    return _Pair(key=key, certificate=builder.sign(authority.key, hashes.SHA256()))


def _builder(name: x509.Name, key: Key, days: int) -> x509.CertificateBuilder:
    # Started yesterday, for devices whose clocks are behind.
    start = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + datetime.timedelta(days=days))
        .add_extension(
            x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
        )
    )


def _common_name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )

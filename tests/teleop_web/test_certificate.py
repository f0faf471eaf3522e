from __future__ import annotations

import datetime
import socket
import ssl
import stat
import threading
from pathlib import Path

import pytest
from cryptography import x509

from teleop.web import WebError, config_folder, server_identity
from teleop.web import certificate as module

NAMES = ("localhost", "127.0.0.1", "192.168.7.7", "robot.local")


def leaf(folder: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate((folder / module.SERVER_FILE).read_bytes())


def handshake(server: ssl.SSLContext, client: ssl.SSLContext, name: str) -> None:
    """Over a pair of sockets; raises what the client sees."""
    ours, theirs = socket.socketpair()

    def answer() -> None:
        try:
            server.wrap_socket(theirs, server_side=True).close()
        except (ssl.SSLError, OSError):
            theirs.close()

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        client.wrap_socket(ours, server_hostname=name).close()
    finally:
        ours.close()
        thread.join()


def client_that_trusts(authority_pem: bytes) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cadata=authority_pem.decode())
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    return context


@pytest.mark.parametrize("name", NAMES)
def test_a_client_with_the_authority_trusts_every_name(
    tmp_path: Path, name: str
) -> None:
    identity = server_identity(tmp_path, NAMES)
    handshake(identity.context, client_that_trusts(identity.authority_pem), name)


def test_other_names_and_other_authorities_are_not_trusted(tmp_path: Path) -> None:
    identity = server_identity(tmp_path / "a", NAMES)
    other = server_identity(tmp_path / "b", NAMES)
    with pytest.raises(ssl.SSLCertVerificationError, match="match"):
        client = client_that_trusts(identity.authority_pem)
        handshake(identity.context, client, "elsewhere.local")
    with pytest.raises(ssl.SSLCertVerificationError):
        client = client_that_trusts(other.authority_pem)
        handshake(identity.context, client, "localhost")


def test_keys_are_their_owner_s_alone(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "wbmpc"
    server_identity(folder, NAMES)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes == {module.SERVER_FILE: 0o600, module.AUTHORITY_FILE: 0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_it_is_kept_while_it_fits(tmp_path: Path) -> None:
    first = server_identity(tmp_path, NAMES)
    before = leaf(tmp_path)
    second = server_identity(tmp_path, NAMES[:2])
    assert first.renewed and second.renewed is None
    assert leaf(tmp_path) == before


def test_a_new_address_renews_it_under_the_same_authority(tmp_path: Path) -> None:
    first = server_identity(tmp_path, NAMES)
    second = server_identity(tmp_path, (*NAMES, "10.0.0.5"))
    assert second.renewed == "it has to hold 10.0.0.5"
    assert second.authority_pem == first.authority_pem
    handshake(second.context, client_that_trusts(first.authority_pem), "10.0.0.5")


def test_one_that_ends_soon_is_renewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(module, "SERVER_DAYS", module.RENEW_DAYS)
        server_identity(tmp_path, NAMES)
    assert server_identity(tmp_path, NAMES).renewed == "the old one ends soon"
    assert server_identity(tmp_path, NAMES).renewed is None


@pytest.mark.parametrize("file", [module.SERVER_FILE, module.AUTHORITY_FILE])
@pytest.mark.parametrize("content", [b"", b"-----BEGIN RUBBISH", None])
def test_damaged_and_missing_files_are_made_anew(
    tmp_path: Path, file: str, content: bytes | None
) -> None:
    server_identity(tmp_path, NAMES)
    if content is None:
        (tmp_path / file).unlink()
    else:
        (tmp_path / file).write_bytes(content)
    identity = server_identity(tmp_path, NAMES)
    assert identity.renewed
    handshake(identity.context, client_that_trusts(identity.authority_pem), "localhost")


def test_another_s_key_in_the_file_is_noticed(tmp_path: Path) -> None:
    server_identity(tmp_path / "a", NAMES)
    server_identity(tmp_path / "b", NAMES)
    ours, theirs = (tmp_path / f / module.SERVER_FILE for f in "ab")
    cut = b"-----BEGIN CERTIFICATE"
    key = theirs.read_bytes().partition(cut)[0]
    ours.write_bytes(key + b"".join(ours.read_bytes().partition(cut)[1:]))
    assert server_identity(tmp_path / "a", NAMES).renewed


def test_it_is_what_browsers_accept(tmp_path: Path) -> None:
    server_identity(tmp_path, NAMES)
    certificate = leaf(tmp_path)
    lifetime = certificate.not_valid_after_utc - certificate.not_valid_before_utc
    assert lifetime <= datetime.timedelta(days=398)
    usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage)
    assert x509.oid.ExtendedKeyUsageOID.SERVER_AUTH in usage.value


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(WebError, match="certificates in .*file"):
        server_identity(tmp_path / "file", NAMES)


@pytest.mark.parametrize("absolute", [True, False])
def test_the_folder_is_the_user_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, absolute: bool
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    config = tmp_path / "config"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(config) if absolute else "config")
    expected = config if absolute else tmp_path / ".config"
    assert config_folder() == expected / "wbmpc"

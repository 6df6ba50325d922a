"""The image of `deploy/Dockerfile`, built by buildah and run as `deploy/compose.yaml` says: not as root,
on a file system that cannot be written to (`make test-image`).

No registry is asked: what stands for `python:3.13-slim` is made of Debian's packages, as that is.
"""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
import yaml
from client import PATIENCE, Json, Server, play_on, run
from database import Postgres
from many import Many
from test_games import check_table, table_of

pytestmark = pytest.mark.image

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
BASE = "python:3.13-slim"
PACKAGES = "ca-certificates,python3,python3-venv,python-is-python3"
SUITE = "trixie"  # whose Python is 3.13
BUILD_SECONDS = 1800
# Into the image: its root cannot be written to, but for what compose.yaml names.
ENTER = """
mount --bind "$1" "$1"
mount -o remount,bind,ro "$1"
mount -t tmpfs tmpfs "$1/tmp"
mount -t tmpfs -o uid="$2" tmpfs "$1/data"
mount --rbind /dev "$1/dev"
mount -t proc proc "$1/proc"
mount --bind /etc/hosts "$1/etc/hosts"
cd "$1"
root=$1 user=$2
shift 2
exec chroot --userspec="$user:$user" "$root" env -i "$@"
"""


def need(*programs: str) -> None:
    missing = [name for name in programs if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not installed here, and could not be: {', '.join(missing)}")
    if os.getuid() != 0:
        pytest.skip("to build an image without a registry and to go into it one must be root")


class Image:
    """The image, and its root as a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        base = folder / "base.tar"
        self._do("mmdebstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, str(base))
        made = self.buildah("from", "scratch")
        self.buildah("add", made, str(base), "/")
        self.buildah("commit", "--quiet", made, BASE)
        certificates, npmrc = Path("/etc/ssl/certs"), folder / "npmrc"
        npmrc.write_text(f"cafile={certificates}/ca-certificates.crt\n")
        trusted = ["-v", f"{certificates}:{certificates}:ro", "-v", f"{npmrc}:/root/.npmrc:ro"]
        how = ["--isolation", "chroot", "--format", "docker", "--pull-never"]
        words = ["-f", str(DEPLOY / "Dockerfile"), "-t", "qwixx", str(ROOT)]
        self.buildah("build", *how, *trusted, *words)
        told = json.loads(self.buildah("inspect", "--type", "image", "qwixx"))
        self.config: Json = told["Docker"]["config"]
        self.root = Path(self.buildah("mount", self.buildah("from", "--pull-never", "qwixx")))

    def buildah(self, *words: str) -> str:
        places = ["--root", str(self._folder / "store"), "--runroot", str(self._folder / "run")]
        return self._do("buildah", *places, "--storage-driver", "vfs", *words)

    def _do(self, *words: str) -> str:
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False
        )
        assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
        return done.stdout.strip()

    def command(self, *words: str, alone: bool = False) -> list[str]:
        """How to run something in it, as a container would; with a network of its own, if alone."""
        spaces = ["--mount", "--net"] if alone else ["--mount"]
        inside = [str(self.root), self.config["User"], *self.config["Env"], *words]
        return ["unshare", *spaces, "sh", "-ec", ENTER, "sh", *inside]

    def end(self) -> None:
        self.buildah("rm", "--all")


class InImage(Server):
    """A server in the image, with the words that compose.yaml gives it."""

    image: Image

    def start(self) -> None:
        service = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["a"]
        told = {"--db": self.place, "--origin": "http://localhost:8080", "--proxy": "127.0.0.1"}
        words = list(service["command"])
        for option, value in told.items():
            words[words.index(option) + 1] = value
        entry = [*self.image.config["Entrypoint"], *words, "--port", str(self.port), *self.words]
        with self.errors.open("ab") as errors:
            self.process = subprocess.Popen(
                self.image.command(*entry), stdout=subprocess.DEVNULL, stderr=errors
            )
        self.wait()


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Image]:
    need("buildah", "mmdebstrap", "unshare", "nsenter", "ip")
    image = Image(tmp_path_factory.mktemp("image"))
    yield image
    image.end()


def test_the_image_is_what_it_says(image: Image) -> None:
    """Nobody's root, small, with nothing of the build in it, and everything it needs."""
    assert image.config["User"] == "10001"
    assert list(image.config["Volumes"]) == ["/data"]
    assert list(image.config["ExposedPorts"]) == ["8737/tcp"]
    for name in ("src", "root/.npm", "root/.cache"):
        assert not (image.root / name).exists() or not list((image.root / name).iterdir()), name
    assert not list(image.root.rglob("node_modules"))

    def inside(*words: str) -> str:
        done = subprocess.run(image.command(*words), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert inside("id", "-u").strip() == "10001"
    assert "qwixx" in inside("qwixx", "--help")
    assert "psycopg" in inside("/opt/qwixx/bin/pip", "list")
    write = "touch /opt/qwixx/x /etc/x /x 2>/dev/null || touch /data/x /tmp/x && cat /data/x /tmp/x"
    assert inside("sh", "-c", write) == ""


def test_it_is_healthy_by_itself_and_stops_when_told(image: Image, tmp_path: Path) -> None:
    """As it is, with a file of its own and its own port, in a network of its own."""
    kind, *check = image.config["Healthcheck"]["Test"]
    assert kind == "CMD"
    errors = tmp_path / "errors.log"
    with errors.open("wb") as log:
        server = subprocess.Popen(
            image.command(*image.config["Entrypoint"], alone=True),
            stdout=subprocess.DEVNULL,
            stderr=log,
        )
    into = ["nsenter", "-t", str(server.pid), "-n", "-m"]
    environment = ["env", "-i", *image.config["Env"]]
    chroot = ["chroot", f"--userspec={image.config['User']}", str(image.root), *environment]
    try:
        subprocess.run([*into[:-1], "ip", "link", "set", "lo", "up"], check=True)
        deadline = time.monotonic() + PATIENCE
        while subprocess.run([*into, *chroot, *check], capture_output=True, check=False).returncode:
            assert server.poll() is None, errors.read_text()
            assert time.monotonic() < deadline, errors.read_text()
            time.sleep(0.2)
        server.send_signal(getattr(signal, image.config.get("StopSignal", "SIGTERM")))
        assert server.wait(PATIENCE) in (0, -signal.SIGTERM)
        assert "Traceback" not in errors.read_text()
    finally:
        server.kill()
        server.wait()


def test_two_of_them_behind_haproxy_share_a_database(
    image: Image, tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Games go on while one of them is killed."""
    monkeypatch.setattr(InImage, "image", image, raising=False)
    monkeypatch.setattr("many.Server", InImage)
    many = Many(tmp_path, postgres)

    async def play() -> None:
        tables = [await table_of(many, game, 2) for game in ("classic", "duel")]
        for client in (client for table in tables for client in table):
            await client.ready()
        playing = [play_on(client, Random(1), repeats=2) for table in tables for client in table]
        tasks = [asyncio.create_task(one) for one in playing]
        many.servers[0].kill()
        await asyncio.gather(*tasks)
        for table in tables:
            check_table(many, table)

    try:
        run(play())
    finally:
        many.end()

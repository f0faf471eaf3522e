"""References in an MCAP file: written while they are sent, read to be sent again."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import msgspec
import numpy as np
from mcap.exceptions import EndOfFile, McapError
from mcap.reader import NonSeekingReader
from mcap.writer import CompressionType, Writer

from models.errors import UnwrittenError
from teleop.errors import RecordingError
from teleop.reference_track import STREAM_RATE_HZ, ReferenceTrack
from teleop.stream_messages import ReferenceMessage
from teleop.wire import NS, TOPICS, ReferenceWire
from wbmpc.reference import home_reference
from wbmpc.robot import Robot

CHUNK_BYTES = 16_384
"""Half a second of samples: what a hard kill can cost."""


class ReferenceRecorder:
    """Writes samples as they are sent; a file that lost its end still opens."""

    def __init__(self, path: Path, robot: Robot) -> None:
        """Create the file.

        Raises:
            RecordingError: It exists already, or cannot be written.
        """
        self._path, self._wire = path, ReferenceWire(robot)
        try:
            self._stream = path.open("xb")
        except FileExistsError:
            raise RecordingError(f"{path}: exists already; name a new file") from None
        except OSError as error:
            raise RecordingError(f"{path}: {error.strerror}") from None
        self._writer = Writer(
            self._stream, chunk_size=CHUNK_BYTES, compression=CompressionType.ZSTD
        )
        self._writer.start(profile="ros2", library="wbmpc")
        self._writer.add_metadata("wbmpc", {"robot": robot.settings.name})
        self._channels = {t: self._channel(t, kind) for t, kind in TOPICS.items()}
        self._start_s: float | None = None
        self._flushed_s = 0.0
        self.problem: str | None = None
        """Why writing ended early; None if it did not."""

    def __enter__(self) -> ReferenceRecorder:
        """Use as a context."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Finish the file."""
        self.close()

    def send(self, message: ReferenceMessage) -> None:
        """Write a sample; a full disk ends the recording, not the stream."""
        if self.problem is not None:
            return
        if self._start_s is None:
            self._start_s = message.sent_s
        try:
            self._write(message, message.sent_s - self._start_s)
        except OSError as error:
            self.problem = f"{self._path}: {error.strerror}; recording ended"

    def close(self) -> None:
        """Write what is left, and the index."""
        try:
            if self.problem is None:
                self._writer.finish()
            self._stream.close()
        except OSError as error:
            self.problem = f"{self._path}: {error.strerror}; recording ended"

    def _write(self, message: ReferenceMessage, time_s: float) -> None:
        for packet in self._wire.packets(message):
            self._writer.add_message(
                self._channels[packet.topic],
                log_time=round(time_s * NS),
                publish_time=round(message.sent_s * NS),
                sequence=message.seq,
                data=packet.data,
            )
        if time_s - self._flushed_s > 0.5:
            self._stream.flush()
            self._flushed_s = time_s

    def _channel(self, topic: str, kind: str) -> int:
        text, _ = self._wire.store.generate_msgdef(kind, ros_version=2)
        schema = self._writer.register_schema(kind, "ros2msg", text.encode())
        return self._writer.register_channel(topic, "cdr", schema)


@dataclass(frozen=True, kw_only=True)
class TimedReference:
    """One recorded sample.

    Attributes:
        time_s: From the start of the recording.
        message: As it was sent.
    """

    time_s: float
    message: ReferenceMessage


def read_recording(path: Path, robot: Robot) -> list[TimedReference]:
    """Read every sample of a recording.

    Raises:
        RecordingError: No such file, no MCAP file, no references in it, or those of
            another robot.
    """
    wire, found = ReferenceWire(robot), []
    try:
        with path.open("rb") as stream:
            for time_s, topic, data in _messages(NonSeekingReader(stream)):
                message = wire.take(topic, data)
                if message is not None:
                    found.append(TimedReference(time_s=time_s, message=message))
    except OSError as error:
        raise RecordingError(f"{path}: {error.strerror}") from None
    except McapError as error:
        raise RecordingError(f"{path}: not a readable MCAP file: {error}") from None
    if wire.refused["other_joints"]:
        raise RecordingError(
            f"{path}: its joints are not those of {robot.settings.name}: "
            f"{', '.join(wire.names)}"
        )
    if not found:
        raise RecordingError(
            f"{path}: holds no references (topics {', '.join(TOPICS)})"
        )
    return found


def _messages(reader: NonSeekingReader) -> Iterator[tuple[float, str, bytes]]:
    """Time, topic and bytes of our topics; ends where a broken file ends."""
    try:
        for _, channel, message in reader.iter_messages(
            topics=list(TOPICS), log_time_order=False
        ):
            yield message.log_time / NS, channel.topic, message.data
    except (EndOfFile, struct.error):
        return


def record_track(path: Path, robot: Robot, track: ReferenceTrack) -> int:
    """Write a track as the recording of its stream; returns the number of samples.

    Raises:
        RecordingError: The file exists already, or cannot be made.
        UnwrittenError: It could not be written to its end.
    """
    messages = list(track_messages(track))
    with ReferenceRecorder(path, robot) as recorder:
        for message in messages:
            recorder.send(message)
    if recorder.problem is not None:
        raise UnwrittenError(recorder.problem)
    return len(messages)


def track_messages(track: ReferenceTrack) -> Iterator[ReferenceMessage]:
    """The samples an operator would have sent."""
    heights, pitches = track.com_height_m, track.pelvis_pitch_rad
    for k in range(len(track.q_upper)):
        height = track.standing.com_m[2] if heights is None else heights[k]
        yield ReferenceMessage(
            stream=0,
            seq=k + 1,
            sent_s=k / STREAM_RATE_HZ,
            q_upper=tuple(map(float, track.q_upper[k])),
            v_upper=tuple(map(float, track.v_upper[k])),
            com_height_m=float(height),
            pelvis_pitch_rad=0.0 if pitches is None else float(pitches[k]),
        )


def recorded_track(path: Path, robot: Robot) -> ReferenceTrack:
    """A recording as a track: at each instant of 50 Hz the last sample before it.

    Raises:
        RecordingError: As `read_recording`.
    """
    samples = read_recording(path, robot)
    times = np.array([sample.time_s for sample in samples])
    count = int(np.floor(times[-1] * STREAM_RATE_HZ + 0.5)) + 1
    grid = np.arange(count) / STREAM_RATE_HZ
    # Half a period of tolerance: a sample sent a little late keeps its place.
    index = np.searchsorted(times, grid + 0.5 / STREAM_RATE_HZ) - 1
    rows = [samples[k].message for k in np.clip(index, 0, None)]
    return ReferenceTrack(
        standing=home_reference(robot),
        q_upper=np.array([row.q_upper for row in rows]),
        v_upper=np.array([row.v_upper for row in rows]),
        com_height_m=np.array([row.com_height_m for row in rows]),
        pelvis_pitch_rad=np.array([row.pelvis_pitch_rad for row in rows]),
    )


def restamped(
    samples: Iterable[TimedReference], *, stream: int, start_s: float
) -> Iterator[tuple[float, ReferenceMessage]]:
    """Samples with the time at which each is to be sent, as a new stream."""
    for k, sample in enumerate(samples):
        due_s = start_s + sample.time_s
        changes = {"stream": stream, "seq": k + 1, "sent_s": due_s, "sample_s": None}
        yield due_s, msgspec.structs.replace(sample.message, **changes)

"""The linear model of a log: every column through one filter, thinned out.

Only the rows of the joints that carry the link are used; no other row says anything
about what is on it.
"""

from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

from ekf.arrays import Array, Flags
from ekf.identification.motion import Piece, low_pass, pieces, rate_hz
from ekf.identification.settings import IdentificationSettings
from ekf.inertia.pseudo_inertia import point_mass_parameters
from ekf.model_lookup import channel_names, root_dofs
from ekf.payload.payload_torque import locate
from ekf.signals.samples import JointLog

FIXED_COLUMNS = 5
"""Of a drive: dry, viscous, offset, dip, rotor; gain and gear friction follow."""
_EDGE_S = 0.3
"""Left out at both ends of a piece: filters have no past or future there."""


@dataclass(frozen=True, kw_only=True)
class Chain:
    """The joints that carry a link.

    Attributes:
        model: The unloaded robot.
        joint_id: The joint at which the payload is.
        placement: Of the link's frame on it.
        joint_ids: All joints from the base to it, with one degree of freedom each.
        rows: (n,) their velocity rows.
        names: (n,) their names.
    """

    model: pin.Model
    joint_id: int
    placement: pin.SE3
    joint_ids: tuple[int, ...]
    rows: Array
    names: tuple[str, ...]

    @classmethod
    def to(cls, model: pin.Model, link: str) -> "Chain":
        """The chain of a link or frame.

        Raises:
            UnknownLinkError: If it is not in the model.
        """
        joint_id, placement = locate(model, link)
        root = 2 if root_dofs(model) else 1
        ids = tuple(int(j) for j in model.supports[joint_id] if j >= root)
        ids = tuple(j for j in ids if model.joints[j].nv == 1)
        return cls(
            model=model,
            joint_id=joint_id,
            placement=placement,
            joint_ids=ids,
            rows=np.array([model.joints[j].idx_v for j in ids], dtype=int),
            names=tuple(str(model.names[j]) for j in ids),
        )

    @property
    def carried_kg(self) -> float:
        """Mass of the links of the chain."""
        return float(sum(self.model.inertias[j].mass for j in self.joint_ids))

    @property
    def turns(self) -> Flags:
        """(n,) whether a joint turns; the others slide, and have forces."""
        kinds = [self.model.joints[j].shortname() for j in self.joint_ids]
        return np.array([not kind.startswith("JointModelP") for kind in kinds])

    def channels(self) -> Array:
        """(n,) their torque channels."""
        names = channel_names(self.model)
        return np.array([names.index(name) for name in self.names], dtype=int)


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Columns and torques of one log, N instants, n joints.

    Attributes:
        time_s: (N,) times.
        piece: (N,) which piece an instant belongs to.
        step_s: Time between instants.
        y: (N, n) measured torque minus that of the model.
        nominal: (N, n) torque of the model.
        links: (N, n, 10 n) columns of deviations of the links, in their prior's units.
        payload: (N, n, 10) columns of a payload at the last joint.
        drive: (N, n, 5) columns of each joint's own drive.
        sign: (N, n) smooth sign of the velocities.
        rest: (N, n) share of the time that a joint rests.
        usable: (N, n) whether a row counts.
        speed: (n,) root mean square velocity.
        scale: (n,) root mean square torque.
        unmeasured: Joints whose torque is not measured, with the share.
    """

    time_s: Array
    piece: Array
    step_s: float
    y: Array
    nominal: Array
    links: Array
    payload: Array
    drive: Array
    sign: Array
    rest: Array
    usable: Flags
    speed: Array
    scale: Array
    unmeasured: tuple[tuple[str, float], ...]

    def __len__(self) -> int:
        """Number of instants."""
        return len(self.time_s)

    def shifted(self, later_s: float) -> "Evidence":
        """The same with torques that were stamped so much too late, moved back."""
        torque = self.y + self.nominal
        moved = np.empty_like(torque)
        for number in np.unique(self.piece):
            own = self.piece == number
            time_s = self.time_s[own]
            for row in range(torque.shape[1]):
                moved[own, row] = np.interp(time_s + later_s, time_s, torque[own, row])
        return replace(self, y=moved - self.nominal)


@dataclass(frozen=True, kw_only=True)
class Speeds:
    """Where friction's shape bends, per joint [rad/s, m/s]."""

    resting: Array
    stribeck: Array


def find_speeds(
    log: JointLog, chain: Chain, settings: IdentificationSettings
) -> Speeds:
    """Shapes of friction that the speeds of a log can show."""
    found = [p.v[:, chain.rows] for p in pieces(chain.model, log, settings)]
    speed = np.sqrt(np.mean(np.vstack(found) ** 2, axis=0))
    return Speeds(
        resting=np.clip(0.1 * speed, 1e-3, settings.resting_speed),
        stribeck=np.maximum(0.3 * speed, 5e-3),
    )


def gather(
    log: JointLog,
    chain: Chain,
    speeds: Speeds,
    settings: IdentificationSettings,
    unmeasured: tuple[str, ...] = (),
) -> Evidence | None:
    """Evidence of a log; None if no piece of it is long enough."""
    hz = rate_hz(log, settings)
    duration_s = float(log.time_s[-1] - log.time_s[0])
    kept_hz = min(2.5 * settings.column_hz, settings.most_rows / max(duration_s, 1.0))
    every = max(1, int(np.ceil(hz / kept_hz)))
    cutoff = min(settings.column_hz, 0.4 * hz / every)
    edge = round(_EDGE_S * hz)
    parts, place, measured, spans = [], [], [], []
    for number, piece in enumerate(pieces(chain.model, log, settings)):
        columns = _columns(piece, chain, speeds)
        measured.append(columns["measured"].mean(axis=0))
        spans.append(len(piece.time_s))
        thin = {
            name: low_pass(values, cutoff, hz)[edge : len(values) - edge : every]
            for name, values in columns.items()
        }
        thin["time_s"] = piece.time_s[edge : len(piece.time_s) - edge : every]
        parts.append(thin)
        place += [number] * len(thin["time_s"])
    if not parts or not place:
        return None
    whole = {name: np.concatenate([p[name] for p in parts]) for name in parts[0]}
    share = 1.0 - np.average(measured, axis=0, weights=spans)
    off = np.array([name in unmeasured for name in chain.names]) | (share > 0.3)
    return Evidence(
        time_s=whole["time_s"],
        piece=np.array(place),
        step_s=every / hz,
        y=whole["tau"] - whole["nominal"],
        nominal=whole["nominal"],
        links=whole["links"],
        payload=whole["payload"],
        drive=whole["drive"],
        sign=whole["drive"][:, :, 0],
        rest=np.clip(whole["rest"], 0.0, 1.0),
        usable=(whole["measured"] > 0.9) & ~off,
        speed=np.sqrt(np.mean(whole["drive"][:, :, 1] ** 2, axis=0)),
        scale=np.sqrt(np.mean(whole["tau"] ** 2, axis=0)),
        unmeasured=tuple(
            (name, float(1.0 if name in unmeasured else s))
            for name, s, gone in zip(chain.names, share, off, strict=True)
            if gone
        ),
    )


def _columns(piece: Piece, chain: Chain, speeds: Speeds) -> dict[str, Array]:
    model, rows = chain.model, chain.rows
    data, n = model.createData(), len(rows)
    bodies = np.concatenate([np.arange(10 * j - 10, 10 * j) for j in chain.joint_ids])
    every = np.concatenate(
        [model.inertias[j].toDynamicParameters() for j in range(1, model.njoints)]
    )
    links = np.empty((len(piece.time_s), n, len(bodies)))
    nominal = np.empty((len(piece.time_s), n))
    for k, (q, v, a) in enumerate(zip(piece.q, piece.v, piece.a, strict=True)):
        regressor = pin.computeJointTorqueRegressor(model, data, q, v, a)[rows]
        nominal[k] = regressor @ every
        links[k] = regressor[:, bodies]
    v, a = piece.v[:, rows], piece.a[:, rows]
    nominal = nominal + np.asarray(model.armature)[rows] * a
    sign = np.tanh(v / speeds.resting)
    dip = sign * np.exp(-((v / speeds.stribeck) ** 2))
    units = np.concatenate([_units(model.inertias[j]) for j in chain.joint_ids])
    return {
        "tau": piece.tau[:, chain.channels()],
        "measured": piece.measured[:, chain.channels()].astype(float),
        "nominal": nominal,
        "payload": links[:, :, -10:].copy(),
        "links": np.concatenate(
            [
                links[:, :, 10 * k : 10 * k + 10] @ units[10 * k : 10 * k + 10]
                for k in range(n)
            ],
            axis=2,
        ),
        "drive": np.stack((sign, v, np.ones_like(v), dip, a), axis=2),
        "rest": 1.0 - sign**2,
    }


def _units(inertia: pin.Inertia) -> Array:
    """(10, 10) parameters about the joint by mass, centre, and six of the tensor."""
    mass, centre, step = float(inertia.mass), np.array(inertia.lever), 1e-6
    units = np.zeros((10, 10))
    units[:, 0] = point_mass_parameters(centre)
    for axis in range(3):
        ahead, behind = centre.copy(), centre.copy()
        ahead[axis] += step
        behind[axis] -= step
        change = point_mass_parameters(ahead) - point_mass_parameters(behind)
        units[:, 1 + axis] = mass * change / (2.0 * step)
    units[4:, 4:] = np.eye(6)
    return units

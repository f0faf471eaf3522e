"""Commands that a hostile or tired user types: what ends them and what must be said.

A line is a command, its exit code, and words that its answer must contain: the option,
field, file or value that is wrong. `make_files` writes what the commands read.
"""

from __future__ import annotations

import math
from pathlib import Path

OK, BAD_END, BAD_INPUT = 0, 1, 2

Line = tuple[str, int, str]


def numbers(command: str, option: str, bad: str) -> list[Line]:
    """A number that an option cannot be, per word of `bad`."""
    return [(f"{command} {option} {value}", BAD_INPUT, option) for value in bad.split()]


NO_NUMBER = "nan inf -inf five 1e999"
RUN = "run standing --no-files --duration 5"

RUNS: list[Line] = [
    *numbers(RUN, "--payload", f"{NO_NUMBER} -1 1e9 1,5 5kg"),
    *numbers(RUN, "--at", f"{NO_NUMBER} -1 1e9"),
    *numbers(f"{RUN} --payload 1 --at 0.2", "--remove-at", f"{NO_NUMBER} -1 0.1 50"),
    *numbers(RUN, "--ramp", f"{NO_NUMBER} -1"),
    *numbers("run standing --no-files", "--duration", f"{NO_NUMBER} -1 0 1e9"),
    *numbers(RUN, "--push-at", f"{NO_NUMBER} -1"),
    *numbers(RUN, "--push-for", f"{NO_NUMBER} -1"),
    *numbers(RUN, "--tare", f"{NO_NUMBER} -1 100"),
    *numbers(RUN, "--seed", "nan 1.5 -1 1e3 99999999999999999999999"),
    (f"{RUN} --push 10", BAD_INPUT, "--push"),
    (f"{RUN} --push nan 0", BAD_INPUT, "--push"),
    (f"{RUN} --push 1e9 0", BAD_INPUT, "--push"),
    (f"{RUN} --push 10 ten", BAD_INPUT, "--push"),
    (f"{RUN} --arm middle", BAD_INPUT, "--arm"),
    (f"{RUN} --arm Left", BAD_INPUT, "--arm"),
    (f"{RUN} --plant dirty", BAD_INPUT, "--plant"),
    (f"{RUN} --estimator magic", BAD_INPUT, "magic"),
    (f"{RUN} --estimator batch", BAD_INPUT, "batch"),
    (f"{RUN} --estimator ''", BAD_INPUT, "--estimator: ''"),
    (f"{RUN} --prior some", BAD_INPUT, "--prior"),
    (f"{RUN} --robot nobody", BAD_INPUT, "nobody"),
    (f"{RUN} --robot ''", BAD_INPUT, "--robot"),
    (f"{RUN} --robot .", BAD_INPUT, "."),
    (f"{RUN} --robot /dev/null", BAD_INPUT, "/dev/null"),
    (f"{RUN} --robot missing.toml", BAD_INPUT, "missing.toml"),
    (f"{RUN} --robot empty.toml", BAD_INPUT, "empty.toml"),
    (f"{RUN} --robot broken.toml", BAD_INPUT, "broken.toml"),
    (f"{RUN} --robot noise.bin", BAD_INPUT, "noise.bin"),
    (f"{RUN} --robot no_robot.urdf", BAD_INPUT, "no_robot.urdf"),
    (f"{RUN} --fault torque", BAD_INPUT, "--fault"),
    (f"{RUN} --fault torque:NOBODY:nan:0:1", BAD_INPUT, "NOBODY"),
    (f"{RUN} --fault heat:LEFT_ELBOW_Y:nan:0:1", BAD_INPUT, "heat"),
    (f"{RUN} --fault torque:LEFT_ELBOW_Y:melt:0:1", BAD_INPUT, "melt"),
    (f"{RUN} --fault torque:LEFT_ELBOW_Y:nan:x:1", BAD_INPUT, "--fault"),
    (f"{RUN} --fault torque:LEFT_ELBOW_Y:nan:0:-1", BAD_INPUT, "--fault"),
    (f"{RUN} --fault torque:LEFT_ELBOW_Y:nan:0:nan", BAD_INPUT, "--fault"),
    (f"{RUN} --fault torque:LEFT_ELBOW_Y:nan:0:1:2", BAD_INPUT, "--fault"),
    (f"{RUN} --fault ::::", BAD_INPUT, "--fault"),
    (f"{RUN} --no-ekf --estimator ekf", BAD_INPUT, "--no-ekf"),
    (f"{RUN} --no-ekf --prior all", BAD_INPUT, "--prior"),
    (f"{RUN} --no-ekf --tare 0.5", BAD_INPUT, "--tare"),
    (f"{RUN} --friction", BAD_INPUT, "--friction"),
    (f"{RUN} --out runs/x", BAD_INPUT, "--out"),
    ("run standing --duration 5 --out full", BAD_INPUT, "full"),
    ("run standing --duration 5 --out file.txt", BAD_INPUT, "file.txt"),
    ("run standing --duration 5 --out file.txt/runs", BAD_INPUT, "file.txt"),
    ("run standing --duration 5 --out /proc/x", BAD_INPUT, "/proc/x"),
    ("run standing --duration 5 --out ''", BAD_INPUT, "--out"),
    ("run", BAD_INPUT, "SCENARIO"),
    ("run walking", BAD_INPUT, "walking"),
    ("run standing window_washing", BAD_INPUT, "window_washing"),
    ("run STANDING", BAD_INPUT, "STANDING"),
    ("run ''", BAD_INPUT, "'' is empty"),
    ("run standing --payloads 5", BAD_INPUT, "--payloads"),
    ("run standing -p 5", BAD_INPUT, "-p"),
    ("run --payload standing", BAD_INPUT, "SCENARIO"),
    ("run standing --payload", BAD_INPUT, "--payload"),
]

SETTINGS: list[Line] = [
    (f"{RUN} --set {text}", BAD_INPUT, named)
    for text, named in {
        "mpc": "mpc",
        "mpc.horizon": "mpc.horizon",
        "=1": "key ''",
        "mpc.nodes=": "mpc.nodes",
        "mpc.nodes=-1": "nodes",
        "mpc.nodes=0": "nodes",
        "mpc.nodes=1e9": "nodes",
        "mpc.nodes=ten": "nodes",
        "mpc.nodes=1.5": "nodes",
        "mpc.nodes=true": "nodes",
        "mpc.nodes=[1,2]": "nodes",
        "mpc.nodez=10": "nodez",
        "mpc.tick_dt_s=0": "tick_dt_s",
        "mpc.tick_dt_s=-0.01": "tick_dt_s",
        "mpc.tick_dt_s=nan": "tick_dt_s",
        "mpc.tick_dt_s=inf": "tick_dt_s",
        "mpc.tick_dt_s=5": "tick_dt_s",
        "mpc.threads=0": "threads",
        "mpc.threads=-2": "threads",
        "mpc.threads=many": "threads",
        "mpc.costs.torque.weight=-1": "weight",
        "mpc.costs.torque.weight=nan": "weight",
        "mpc.costs.torque.weight=heavy": "weight",
        "mpc.costs.torque=1": "torque",
        "mpc.costs.nothing.weight=1": "nothing",
        "estimator.nothing=1": "nothing",
        "estimator=1": "estimator",
        "nothing.at.all=1": "nothing",
        "urdf=missing.urdf": "missing.urdf",
        "name=": "name",
        "__class__=1": "__class__",
        "mpc.__init__=1": "__init__",
    }.items()
] + [
    (f"{RUN} --set", BAD_INPUT, "--set"),
]

COMPARE: list[Line] = [
    *numbers("compare standing --no-files", "--jobs", "0 -1 nan two 1.5"),
    *numbers("compare standing --no-files", "--payload", f"{NO_NUMBER} -1"),
    *numbers("compare standing --no-files", "--duration", f"{NO_NUMBER} -1 0"),
    ("compare", BAD_INPUT, "SCENARIO"),
    ("compare dancing", BAD_INPUT, "dancing"),
    ("compare standing --no-ekf", BAD_INPUT, "--no-ekf"),
    ("compare standing --estimator none", BAD_INPUT, "--estimator"),
    ("compare standing --no-files --robot nobody", BAD_INPUT, "nobody"),
    ("compare standing --no-files --out runs/x", BAD_INPUT, "--out"),
]

STUDIES: list[Line] = [
    *numbers("tipping --quick", "--tolerance", f"{NO_NUMBER} -1 0"),
    *numbers("tipping --quick", "--jobs", "0 -1 nan"),
    ("tipping --plant dirty", BAD_INPUT, "--plant"),
    ("tipping --robot nobody", BAD_INPUT, "nobody"),
    ("tipping --out file.txt", BAD_INPUT, "file.txt"),
    *numbers("seeds standing --quick", "--seeds", "0 -1 nan 1.5"),
    *numbers("seeds standing --quick", "--jobs", "0 -1 x"),
    ("seeds", BAD_INPUT, "SCENARIO"),
    ("seeds dancing", BAD_INPUT, "dancing"),
    ("seeds standing --robot missing.toml", BAD_INPUT, "missing.toml"),
    *numbers("reproduce --quick", "--seeds", "0 -1 nan"),
    *numbers("reproduce --quick", "--jobs", "0 -1 x"),
    ("reproduce --only dancing", BAD_INPUT, "dancing"),
    ("reproduce --only", BAD_INPUT, "--only"),
    ("reproduce --robot nobody", BAD_INPUT, "nobody"),
    ("reproduce --out file.txt", BAD_INPUT, "file.txt"),
    ("robots nobody", BAD_INPUT, "nobody"),
    ("robots --facts nobody", BAD_INPUT, "nobody"),
    ("robots missing.toml", BAD_INPUT, "missing.toml"),
    ("robots empty.toml", BAD_INPUT, "empty.toml"),
    *numbers("robots alexander", "--jobs", "0 -1 x"),
    ("robots --out file.txt", BAD_INPUT, "file.txt"),
    ("estimators --quick --no-files --out runs/x", BAD_INPUT, "--out"),
    ("estimators --quick --out full", BAD_INPUT, "full"),
    ("estimators --slow", BAD_INPUT, "--slow"),
    ("bench --robot nobody", BAD_INPUT, "nobody"),
    ("bench --set mpc.threads=0", BAD_INPUT, "threads"),
    ("bench quick", BAD_INPUT, "quick"),
]

SWEEPS: list[Line] = [
    *numbers("sweep standing --dry-run", "--payload", f"{NO_NUMBER} -1 1,,2 1,1 2:1"),
    *numbers("sweep standing --dry-run", "--seed", "nan 1.5 -1 0: 5:0 0:5:0 1,1"),
    *numbers("sweep standing --dry-run", "--jobs", "0 -1 x"),
    *numbers("sweep standing --dry-run", "--shard", "1 1/1 -1/2 a/b 1/2/3"),
    *numbers("sweep standing --dry-run", "--max-failures", "0 -1 x"),
    ("sweep", BAD_INPUT, "SCENARIO"),
    ("sweep dancing", BAD_INPUT, "dancing"),
    ("sweep standing --arm left,", BAD_INPUT, "--arm"),
    ("sweep standing --set urdf", BAD_INPUT, "--set"),
    ("sweep standing --robot alexander,nobody", BAD_INPUT, "nobody"),
    ("sweep standing --push 1:2:3", BAD_INPUT, "--push"),
    ("sweep standing --start 0:0", BAD_INPUT, "--start"),
    ("sweep standing --out file.txt", BAD_INPUT, "file.txt"),
    ("sweep standing --scheduler nowhere", BAD_INPUT, "--scheduler nowhere"),
    ("sweep standing --scheduler-file missing.json", BAD_INPUT, "missing.json"),
    ("sweep-table", BAD_INPUT, "FOLDER"),
    ("sweep-table missing", BAD_INPUT, "missing"),
    ("sweep-table full", BAD_INPUT, "full"),
    ("sweep-table full --format xml", BAD_INPUT, "--format"),
]

ESTIMATE: list[Line] = [
    ("estimate", BAD_INPUT, "LOG"),
    ("estimate missing.mcap", BAD_INPUT, "missing.mcap"),
    ("estimate .", BAD_INPUT, "."),
    ("estimate full", BAD_INPUT, "full"),
    ("estimate /dev/null", BAD_INPUT, "/dev/null"),
    ("estimate ''", BAD_INPUT, "'' is empty"),
    ("estimate empty.csv", BAD_INPUT, "empty.csv"),
    ("estimate header.csv", BAD_INPUT, "header.csv"),
    ("estimate words.csv", BAD_INPUT, "words.csv"),
    ("estimate noise.bin", BAD_INPUT, "noise.bin"),
    ("estimate noise.mcap", BAD_INPUT, "noise.mcap"),
    ("estimate noise.parquet", BAD_INPUT, "noise.parquet"),
    ("estimate cut.mcap", BAD_INPUT, "cut.mcap"),
    ("estimate file.txt", BAD_INPUT, "file.txt"),
    *[
        (f"estimate {log}.csv --robot panda {more}", BAD_INPUT, named)
        for log, more, named in [
            ("other_names", "", "other_names.csv"),
            ("backwards", "", "backwards.csv"),
            ("ragged", "", "ragged.csv"),
            ("all_nan", "", "all_nan.csv"),
            ("one_row", "", "one_row.csv"),
            ("arm", "--payload-at nan", "--payload-at"),
            ("arm", "--payload-at -1", "--payload-at"),
            ("arm", "--payload-at 1e9", "--payload-at"),
            ("degrees", "", "degrees?"),
            ("milliseconds", "", "milliseconds?"),
            ("arm", "--payload-at now", "--payload-at"),
            ("arm", "--link nothing", "nothing"),
            ("arm", "--link ''", "--link"),
            ("arm", "--estimator magic", "magic"),
            ("arm", "--estimator", "--estimator"),
            ("arm", "--columns missing.toml", "missing.toml"),
            ("arm", "--columns broken.toml", "broken.toml"),
            ("arm", "--columns noise.bin", "noise.bin"),
            ("arm", "--out full", "full"),
            ("arm", "--out file.txt", "file.txt"),
        ]
    ],
    ("estimate arm.csv --robot nobody", BAD_INPUT, "nobody"),
    ("estimate arm.csv --robot no_robot.urdf", BAD_INPUT, "no_robot.urdf"),
    ("estimate arm.csv --robot empty.toml", BAD_INPUT, "empty.toml"),
    ("estimate arm.csv --robot alexander", BAD_INPUT, "arm.csv"),
    ("estimate arm.csv arm.csv", BAD_INPUT, "arm.csv"),
]

ROBOT_FILES: list[Line] = [
    ("check", BAD_INPUT, "ROBOT"),
    ("check nobody", BAD_INPUT, "nobody"),
    ("check ''", BAD_INPUT, "'' is empty"),
    ("check .", BAD_INPUT, "."),
    ("check /dev/null", BAD_INPUT, "/dev/null"),
    ("check missing.urdf", BAD_INPUT, "missing.urdf"),
    ("check missing.toml", BAD_INPUT, "missing.toml"),
    ("check empty.toml", BAD_END, "empty.toml"),
    ("check empty.urdf", BAD_INPUT, "empty.urdf"),
    ("check broken.toml", BAD_INPUT, "broken.toml"),
    ("check no_robot.urdf", BAD_INPUT, "no_robot.urdf"),
    ("check cut.urdf", BAD_INPUT, "cut.urdf"),
    ("check loop.urdf", BAD_END, "loop.urdf"),
    ("check bomb.urdf", BAD_INPUT, "bomb.urdf"),
    ("check deep.urdf", BAD_INPUT, "deep.urdf"),
    ("check noise.bin", BAD_INPUT, "noise.bin"),
    ("check noise.mcap", BAD_INPUT, "noise.mcap"),
    ("check two_roots.urdf", BAD_END, "two_roots.urdf"),
    ("check nan_mass.urdf", BAD_END, "mass"),
    ("check negative_mass.urdf", BAD_END, "mass"),
    ("check nobody --fix new.urdf", BAD_INPUT, "nobody"),
    ("check two_roots.urdf --fix new.urdf", BAD_END, "two_roots.urdf"),
    ("check panda --fix file.txt", BAD_INPUT, "file.txt"),
    ("check panda --fix full", BAD_INPUT, "full"),
    ("check panda --fix file.txt/new.urdf", BAD_INPUT, "file.txt"),
    ("check panda --fix ''", BAD_INPUT, "--fix"),
    ("check panda --meshes missing", BAD_INPUT, "missing"),
    ("check panda --meshes file.txt", BAD_INPUT, "file.txt"),
    ("check panda g1", BAD_INPUT, "g1"),
    ("check --robot panda", BAD_INPUT, "robot"),
    ("init", BAD_INPUT, "ROBOT"),
    ("init nobody --out new", BAD_INPUT, "nobody"),
    ("init g1", BAD_INPUT, "--out"),
    ("init g1 --out ''", BAD_INPUT, "--out"),
    ("init g1 --out file.txt", BAD_INPUT, "file.txt"),
    ("init g1 --out file.txt/new", BAD_INPUT, "file.txt"),
    ("init g1 --out settled", BAD_INPUT, "settled"),
    ("init g1 --out new --meshes missing", BAD_INPUT, "missing"),
    ("init panda --out new", BAD_INPUT, "panda"),
    ("init missing.urdf --out new", BAD_INPUT, "missing.urdf"),
    ("init cut.urdf --out new", BAD_INPUT, "cut.urdf"),
    ("init loop.urdf --out new", BAD_INPUT, "loop.urdf"),
    ("init bomb.urdf --out new", BAD_INPUT, "bomb.urdf"),
    ("init two_roots.urdf --out new", BAD_INPUT, "two_roots.urdf"),
    ("init nan_mass.urdf --out new", BAD_INPUT, "mass"),
    ("init negative_mass.urdf --out new", BAD_INPUT, "mass"),
    ("init one_link.urdf --out new", BAD_INPUT, "one_link.urdf"),
    ("init noise.bin --out new", BAD_INPUT, "noise.bin"),
    ("init empty.toml --out new", BAD_INPUT, "empty.toml"),
]

TELEOP = "teleop --scripted --no-meshcat --no-files"
OPERATORS: list[Line] = [
    *numbers(TELEOP, "--payload", f"{NO_NUMBER} -1 1e9"),
    *numbers(TELEOP, "--payload-at", f"{NO_NUMBER} -1 1e9"),
    *numbers(TELEOP, "--duration", f"{NO_NUMBER} -1 0"),
    *numbers("teleop --no-files", "--port", "-1 70000 http 1.5 nan"),
    ("teleop --no-files --host nowhere.invalid", BAD_INPUT, "nowhere.invalid"),
    ("teleop --no-files --host 999.1.1.1", BAD_INPUT, "999.1.1.1"),
    ("teleop --no-files --host ''", BAD_INPUT, "--host"),
    ("teleop --listen smoke", BAD_INPUT, "--listen"),
    ("teleop --no-files --config missing.toml", BAD_INPUT, "missing.toml"),
    ("teleop --no-files --config broken.toml", BAD_INPUT, "broken.toml"),
    ("teleop --no-files --config noise.bin", BAD_INPUT, "noise.bin"),
    ("teleop --no-files --config wrong_teleop.toml", BAD_INPUT, "wrong_teleop.toml"),
    ("teleop --no-files --replay missing.mcap", BAD_INPUT, "missing.mcap"),
    ("teleop --no-files --replay noise.mcap", BAD_INPUT, "noise.mcap"),
    ("teleop --no-files --replay file.txt", BAD_INPUT, "file.txt"),
    ("teleop --no-files --replay full", BAD_INPUT, "full"),
    (f"{TELEOP} --record file.txt", BAD_INPUT, "file.txt"),
    (f"{TELEOP} --record file.txt/a.mcap", BAD_INPUT, "file.txt"),
    (f"{TELEOP} --record full", BAD_INPUT, "full"),
    (f"{TELEOP} --replay missing.mcap", BAD_INPUT, "--replay"),
    (f"{TELEOP} --robot nobody", BAD_INPUT, "nobody"),
    (f"{TELEOP} --arm middle", BAD_INPUT, "--arm"),
    (f"{TELEOP} --out runs/x", BAD_INPUT, "--out"),
    (f"{TELEOP} --set mpc.threads=0", BAD_INPUT, "threads"),
    ("references", BAD_INPUT, "required"),
    ("references dancing --out a.mcap", BAD_INPUT, "dancing"),
    ("references standing --out file.txt", BAD_INPUT, "file.txt"),
    ("references standing --out full", BAD_INPUT, "full"),
]

ARM: list[Line] = [
    ("so101", BAD_INPUT, "bench, servo"),
    ("so101 dance", BAD_INPUT, "dance"),
    *[
        (f"so101 bench --no-files --payload {value}", BAD_INPUT, "payload")
        for value in f"{NO_NUMBER} -1 1e9".split()
    ],
    *numbers("so101 bench --no-files", "--plant-armature", f"{NO_NUMBER} -1"),
    *numbers("so101 bench --no-files", "--plant-extra", f"{NO_NUMBER} -5"),
    ("so101 bench --no-files --out runs/x", BAD_INPUT, "--out"),
    ("so101 calibrate", BAD_INPUT, "required"),
    ("so101 calibrate missing.csv", BAD_INPUT, "missing.csv"),
    ("so101 calibrate noise.bin", BAD_INPUT, "noise.bin"),
    ("so101 drive", BAD_INPUT, "required"),
]

OTHERS: list[Line] = [
    ("", BAD_INPUT, "run, compare"),
    ("dance", BAD_INPUT, "dance"),
    ("RUN standing", BAD_INPUT, "RUN"),
    ("--json", BAD_INPUT, "--json"),
    ("doctor now", BAD_INPUT, "now"),
    ("doctor --fix", BAD_INPUT, "--fix"),
    ("run standing '\x1b[2J'", BAD_INPUT, "[2J"),
    ("check '\x1b[31mred.urdf'", BAD_INPUT, "red.urdf"),
    ("check '\u202egpj.urdf'", BAD_INPUT, "gpj.urdf"),
    (f"check {'a' * 300}.urdf", BAD_INPUT, "aaa"),
    (f"run standing --robot {'b' * 5000}", BAD_INPUT, "bbb"),
    ("--help", OK, "subcommands"),
    ("run --help", OK, "--payload"),
    ("check panda --json", BAD_END, "panda"),
]

LINES = [
    *RUNS,
    *SETTINGS,
    *COMPARE,
    *STUDIES,
    *SWEEPS,
    *ESTIMATE,
    *ROBOT_FILES,
    *OPERATORS,
    *ARM,
    *OTHERS,
]

LINK = (
    "<link name='{}'><inertial><mass value='{}'/>"
    "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
)
JOINT = (
    "<joint name='{0}{1}' type='revolute'><parent link='{0}'/><child link='{1}'/>"
    "<axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='9' velocity='9'/></joint>"
)
BOMB = "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'>" + "".join(
    f"<!ENTITY {b} '{f'&{a};' * 10}'>"
    for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)


def robot(*parts: str) -> str:
    return f"<robot name='r'>{''.join(parts)}</robot>"


def arm_log() -> list[str]:
    """A panda's log: a header and two seconds of a wave, 100 rows a second."""
    header = ["t"]
    for kind in ("q", "qd", "tau"):
        header += [f"{kind}_{joint}" for joint in range(9)]
    rows = [",".join(header)]
    for step in range(200):
        wave = [0.3 * math.sin(0.05 * step + joint) for joint in range(7)] + [0.0, 0.0]
        middle = [0.0, 0.0, 0.0, -1.5, 0.0, 1.5, 0.0, 0.0, 0.0]
        q = [w + m for w, m in zip(wave, middle, strict=True)]
        numbers_of_row = [step * 0.01, *q, *wave, *wave]
        rows.append(",".join(f"{number:.6f}" for number in numbers_of_row))
    return rows


def in_degrees(row: str) -> str:
    time, *others = row.split(",")
    return ",".join([time, *(str(57.29578 * float(cell)) for cell in others)])


def in_milliseconds(row: str) -> str:
    time, *others = row.split(",")
    return ",".join([str(1000 * float(time)), *others])


def make_files(folder: Path) -> None:
    """Write what the commands read."""
    rows = arm_log()
    texts = {
        "empty.toml": "",
        "broken.toml": "[mpc\nnodes = ",
        "wrong_teleop.toml": "hold_after_s = 'soon'\n",
        "file.txt": "not a log\n",
        "empty.csv": "",
        "header.csv": rows[0] + "\n",
        "words.csv": "time,q\nnow,there\nthen,here\n",
        "arm.csv": "\n".join(rows) + "\n",
        "one_row.csv": "\n".join(rows[:2]) + "\n",
        "other_names.csv": "\n".join(["t,a,b", "0,1,2", "1,2,3"]) + "\n",
        "degrees.csv": "\n".join([rows[0], *map(in_degrees, rows[1:])]) + "\n",
        "milliseconds.csv": "\n".join([rows[0], *map(in_milliseconds, rows[1:])])
        + "\n",
        "backwards.csv": "\n".join([rows[0], *reversed(rows[1:])]) + "\n",
        "ragged.csv": "\n".join([rows[0], *(row + ",1,2" for row in rows[1:])]) + "\n",
        "all_nan.csv": "\n".join([rows[0], *([",".join(["nan"] * 28)] * 200)]) + "\n",
        "empty.urdf": "",
        "no_robot.urdf": "<html><body>404</body></html>",
        "cut.urdf": robot(LINK.format("a", 1))[:-20],
        "loop.urdf": robot(
            *(LINK.format(name, 1) for name in "ab"),
            JOINT.format("a", "b"),
            JOINT.format("b", "a"),
        ),
        "two_roots.urdf": robot(*(LINK.format(name, 1) for name in "ab")),
        "one_link.urdf": robot(LINK.format("a", 1)),
        "nan_mass.urdf": robot(
            LINK.format("a", 1), LINK.format("b", "nan"), JOINT.format("a", "b")
        ),
        "negative_mass.urdf": robot(
            LINK.format("a", 1), LINK.format("b", -1), JOINT.format("a", "b")
        ),
        "bomb.urdf": f"{BOMB}]><robot name='&i;'/>",
        "deep.urdf": "<a>" * 20000 + "</a>" * 20000,
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    noise = bytes(range(256)) * 40
    for name in ("noise.bin", "noise.mcap", "noise.parquet"):
        (folder / name).write_bytes(noise)
    (folder / "cut.mcap").write_bytes(b"\x89MCAP0\r\n" + noise[:50])
    for name in ("full", "settled"):
        (folder / name).mkdir()
    (folder / "full" / "old.txt").write_text("kept")
    (folder / "settled" / "settings.toml").write_text("name = 'mine'\n")

// Puts the page together: link, robot, the two kinds of operator, what is shown.

import { Dashboard } from "./dashboard.js";
import { DesktopOperator } from "./desktop.js";
import { RobotFigure } from "./figure.js";
import { poseMessage } from "./frames.js";
import { HeadsetOperator } from "./headset.js";
import { Link } from "./link.js";
import { Panel } from "./panel.js";
import { readout } from "./readout.js";
import { Stage } from "./stage.js";
import { Surroundings } from "./surroundings.js";

const DESKTOP_PERIOD_MS = 1000 / 60;
const note = document.getElementById("vr-note");
const enter = document.getElementById("enter-vr");

/** The socket's address, with the token that the page's own address ends in. */
function socketUrl() {
  const token = new URLSearchParams(location.hash.slice(1) || location.search).get("token");
  const query = token ? `?${new URLSearchParams({ token })}` : "";
  return `${location.origin.replace(/^http/, "ws")}/ws${query}`;
}

async function start() {
  const description = await (await fetch("robot.json")).json();
  const stage = new Stage(document.getElementById("view"));
  const figure = new RobotFigure(description);
  const panel = new Panel();
  stage.scene.add(figure.root, panel.mesh);
  const surroundings = new Surroundings(stage.scene, figure, panel);
  const dashboard = new Dashboard();
  const desktop = new DesktopOperator(stage, figure);
  const headset = new HeadsetOperator(stage.renderer);
  const link = new Link(socketUrl(), "desktop", (status) => {
    if (status.q) figure.show(status.base, status.q);
    figure.showLoads(status.payload);
  });
  const send = (frame, t) => link.sendPose(poseMessage({ ...frame, t: t / 1000 }));

  headset.onStart = () => {
    document.body.dataset.vr = "";
    link.become("xr");
    desktop.release();
    desktop.hideHandles();
  };
  headset.onEnd = () => {
    delete document.body.dataset.vr;
    send(headset.gone(), performance.now());
    link.become("desktop");
    surroundings.leave();
  };
  headset.onReset = () => surroundings.standAnew();
  headset.onVisibility = () => {
    if (headset.session) send(headset.gone(), performance.now());
  };
  document.addEventListener("visibilitychange", () => {
    if (!headset.session) send(desktop.frame(), performance.now());
  });
  desktop.onStop = () => link.stop();
  document.getElementById("link").onclick = () => link.takeBack();

  stage.renderer.setAnimationLoop((t, xrFrame) => {
    link.tick();
    const reading = readout(link);
    figure.dim(!link.live);
    if (headset.session && xrFrame) {
      const frame = headset.frame(xrFrame);
      send(frame, t);
      surroundings.follow(frame, link.live && link.status.engaged);
      panel.show(reading);
      if (link.live) headset.pulse(link.status.haptic);
    } else if (!headset.session) {
      desktop.update(link.live ? link.status : null);
      dashboard.show(reading);
    }
    stage.render();
  });
  // Mouse and keys do not wait for the picture, which may be slow without a GPU.
  setInterval(() => {
    link.tick();
    if (!headset.session) send(desktop.frame(), performance.now());
  }, DESKTOP_PERIOD_MS);
  offerVr(headset);
  // For a look from the browser's console.
  globalThis.wbmpc = { link, figure, desktop, headset, panel, stage };
}

async function offerVr(headset) {
  const obstacle = await HeadsetOperator.obstacle();
  note.textContent = obstacle ?? "";
  enter.hidden = obstacle !== null;
  enter.onclick = () => headset.start().catch((error) => {
    note.textContent = `VR did not start: ${error.message}`;
  });
}

start().catch((error) => {
  note.textContent = `The page did not start: ${error.message}`;
});

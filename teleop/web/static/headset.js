// An operator with a headset: reads WebXR once a frame and pulses the controllers.

import { handOf, poseOf } from "./frames.js";
import { HandSources } from "./sources.js";

const PULSE_MS = 80;
const PULSE_PERIOD_MS = 120;
const PINCH_M = 0.018, OPEN_M = 0.035; // of thumb and index tip

export class HeadsetOperator {
  constructor(renderer) {
    this.session = null;
    this.space = 0; // another number after each reset: poses do not go on from earlier ones
    this.#renderer = renderer;
    renderer.xr.setReferenceSpaceType("local-floor");
  }

  onStart = () => {};
  onEnd = () => {};
  onVisibility = () => {};
  onReset = () => {};
  #renderer;
  #pulsedAt = 0;
  #sources = new HandSources();
  #pinching = new WeakSet();

  /** Why there is no VR here, or null. */
  static async obstacle() {
    if (!isSecureContext) return "VR needs HTTPS or localhost";
    if (!navigator.xr) return "This browser has no WebXR";
    const able = await navigator.xr.isSessionSupported("immersive-vr").catch(() => false);
    return able ? null : "No headset found: mouse and keys drive the robot";
  }

  get visibility() {
    return this.session.visibilityState;
  }

  /** Has to be called from a click. */
  async start() {
    const session = await navigator.xr.requestSession("immersive-vr", {
      requiredFeatures: ["local-floor"],
      optionalFeatures: ["hand-tracking"],
    });
    let ended = false;
    session.addEventListener("end", () => {
      ended = true;
      if (!this.session) return;
      this.session = null;
      this.onEnd();
    });
    session.addEventListener("visibilitychange", () => this.onVisibility());
    await this.#renderer.xr.setSession(session);
    if (ended) return;
    this.#renderer.xr.getReferenceSpace().addEventListener("reset", () => {
      this.space += 1;
      this.onReset();
    });
    this.space += 1;
    this.session = session;
    this.onStart();
  }

  /** One frame of the operator, without its number and time. */
  frame(xrFrame) {
    const space = this.#renderer.xr.getReferenceSpace();
    const found = Array.from(this.session.inputSources)
      .map((source) => [source, this.#hand(xrFrame, space, source)])
      .filter(([, hand]) => hand);
    const head = poseOf(xrFrame.getViewerPose(space));
    const hands = this.#sources.choose(found);
    return { visibility: this.visibility, space: this.space, head, ...hands };
  }

  /** What is sent when frames stop: everything let go. */
  gone() {
    const visibility = this.session ? this.visibility : "hidden";
    return { visibility, space: this.space, head: null, left: null, right: null };
  }

  /** Pulse both controllers, `strength` from 0 to 1. */
  pulse(strength) {
    const now = performance.now();
    if (!(strength > 0) || now - this.#pulsedAt < PULSE_PERIOD_MS) return;
    this.#pulsedAt = now;
    for (const { gamepad } of this.session.inputSources) {
      gamepad?.hapticActuators?.[0]?.pulse(Math.min(strength, 1), PULSE_MS);
    }
  }

  #hand(xrFrame, space, source) {
    const grip = source.gripSpace && xrFrame.getPose(source.gripSpace, space);
    if (source.hand) return this.#bareHand(xrFrame, source, grip);
    return source.gamepad ? handOf(source.gamepad, grip) : null;
  }

  /** A hand without controller: pinching thumb and index is the clutch. */
  #bareHand(xrFrame, source, grip) {
    const tips = ["thumb-tip", "index-finger-tip"].map((name) => source.hand.get(name));
    const between = tips.every(Boolean) && xrFrame.getJointPose?.(tips[0], tips[1]);
    const gap = between ? Math.hypot(...vector(between.transform.position)) : Infinity;
    const pinches = gap < (this.#pinching.has(source) ? OPEN_M : PINCH_M);
    if (pinches) this.#pinching.add(source);
    else this.#pinching.delete(source);
    return {
      grip: poseOf(grip),
      axes: [0, 0],
      trigger: 0,
      squeeze: pinches ? 1 : 0,
      stick: false,
      buttons: [false, false],
    };
  }
}

const vector = ({ x, y, z }) => [x, y, z];

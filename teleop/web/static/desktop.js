// An operator without a headset: mouse and keys move two imagined controllers, and what
// they do is sent on the same channel as a headset's frames.

import * as THREE from "./vendor/three.min.js";

const SIDES = ["left", "right"];
const HEAD = { p: [0, 1.6, 0], q: [0, 0, 0, 1], valid: true };
const START = { left: [-0.25, 1.1, -0.35], right: [0.25, 1.1, -0.35] };
const STEP_M = 0.02; // a frame: the robot refuses hands that jump
const STEP_RAD = 0.06;
const STOP_MS = 2000; // at most; it ends when the robot says that it has stopped
const ENGAGE_MS = 1500; // a press that engages nothing by then is taken back
const RAD_PER_PIXEL = 0.008;
const M_PER_NOTCH = 0.02;
const FREE_COLOR = 0x4cc2ff, HELD_COLOR = 0x3ddc97;

const KEYS = {
  KeyA: ["right", 0, -1], KeyD: ["right", 0, 1],
  KeyW: ["right", 1, -1], KeyS: ["right", 1, 1],
  KeyR: ["left", 1, -1], KeyF: ["left", 1, 1],
};
const CHOICES = { Digit1: "left", Digit2: "right", Digit3: "both" };

const clutch = document.getElementById("clutch");
const choices = document.querySelectorAll("[data-hand]");

/** One imagined controller, and the handle that shows where its target is. */
class Hand {
  constructor(start) {
    this.position = new THREE.Vector3(...start);
    this.rotation = new THREE.Quaternion();
    this.goal = { position: this.position.clone(), rotation: new THREE.Quaternion() };
    this.anchor = null; // tip and hand at the moment of engagement
    this.handle = new THREE.Mesh(
      new THREE.SphereGeometry(0.065, 24, 16),
      new THREE.MeshLambertMaterial({ transparent: true, opacity: 0.55 }));
  }

  /** Follow the goal, no faster than a hand would. */
  step() {
    const way = this.goal.position.clone().sub(this.position).clampLength(0, STEP_M);
    this.position.add(way);
    this.rotation.rotateTowards(this.goal.rotation, STEP_RAD);
  }

  /** Give up what is left to go: nothing moves by itself after a release. */
  rest() {
    this.goal.position.copy(this.position);
    this.goal.rotation.copy(this.rotation);
  }

  pose() {
    return { p: this.position.toArray(), q: this.rotation.toArray(), valid: true };
  }
}

export class DesktopOperator {
  constructor(stage, figure) {
    this.chosen = "both"; // sticks, hence keys, work while their own hand is engaged
    this.latched = false;
    this.hands = { left: new Hand(START.left), right: new Hand(START.right) };
    this.#stage = stage;
    this.#figure = figure;
    for (const side of SIDES) stage.scene.add(this.hands[side].handle);
    this.#listenToMouse(stage.canvas);
    this.#listenToKeys();
    this.#listenToButtons();
  }

  #stage;
  #figure;
  #keys = new Set();
  #drag = null;
  #stopUntil = -Infinity;
  #latchedAt = -Infinity;
  #engaged = { left: false, right: false };

  get visibility() {
    if (document.hidden) return "hidden";
    return document.hasFocus() ? "visible" : "visible-blurred";
  }

  /** One frame of the operator, without its number and time. */
  frame() {
    for (const side of SIDES) this.hands[side].step();
    return {
      visibility: this.visibility,
      head: HEAD,
      left: this.#controller("left"),
      right: this.#controller("right"),
    };
  }

  /** Take over what the robot says (null: nothing), and put handles to the targets. */
  update(status) {
    for (const side of SIDES) {
      this.#follow(side, Boolean(status?.engaged?.[side]));
      this.hands[side].handle.visible = status !== null;
    }
    const waited = performance.now() - this.#latchedAt > ENGAGE_MS;
    const inVain = waited && !this.#engaged.left && !this.#engaged.right;
    if (this.latched && (!status || inVain)) this.release();
    if (status?.state === "stopped") this.#stopUntil = -Infinity;
  }

  hideHandles() {
    for (const side of SIDES) this.hands[side].handle.visible = false;
  }

  #follow(side, engaged) {
    const hand = this.hands[side];
    if (engaged && !this.#engaged[side]) {
      hand.rest();
      hand.anchor = { tip: this.#figure.tip(side), hand: hand.position.clone() };
    }
    this.#engaged[side] = engaged;
    hand.handle.material.color.set(engaged ? HELD_COLOR : FREE_COLOR);
    this.#place(hand, side, engaged);
  }

  /** Told of every stop, so that it also reaches a robot that another client drives. */
  onStop = () => {};

  stop() {
    this.onStop();
    this.#stopUntil = performance.now() + STOP_MS;
    this.release();
  }

  /** Let everything go. */
  release() {
    this.latched = false;
    this.#drag = null;
    this.#keys.clear();
    this.#rest();
    this.#showControls();
  }

  #place(hand, side, engaged) {
    const target = hand.handle.position;
    if (engaged) target.copy(hand.anchor.tip).add(hand.position).sub(hand.anchor.hand);
    else this.#figure.tip(side, target);
  }

  #controller(side) {
    const held = this.latched && this.#isChosen(side);
    const stick = performance.now() < this.#stopUntil;
    return {
      grip: this.hands[side].pose(),
      axes: this.#sticks(side),
      trigger: 0,
      squeeze: !stick && (held || this.#drag?.side === side) ? 1 : 0,
      stick,
      buttons: [false, false],
    };
  }

  #sticks(side) {
    const axes = [0, 0];
    for (const code of this.#keys) {
      const [of, index, sign] = KEYS[code];
      if (of === side) axes[index] += sign;
    }
    return axes;
  }

  #isChosen(side) {
    return this.chosen === "both" || this.chosen === side;
  }

  #choose(hand) {
    this.chosen = hand;
    this.#showControls();
  }

  #toggle() {
    if (this.latched) return this.release();
    this.latched = true;
    this.#latchedAt = performance.now();
    this.#showControls();
  }

  // Mouse

  #listenToMouse(canvas) {
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#drag = { side: this.#sideUnder(event) };
    });
    canvas.addEventListener("pointermove", (event) => {
      if (this.#drag) this.#dragBy(event);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, () => this.#endDrag());
    }
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  #endDrag() {
    this.#drag = null;
    this.#rest();
  }

  #rest() {
    for (const side of SIDES) this.hands[side].rest();
  }

  #dragBy(event) {
    const { movementX: dx, movementY: dy } = event;
    if (!this.#drag.side) this.#stage.turn(dx, dy);
    else if (event.shiftKey) this.#rotate(dx, dy);
    else this.#shift(this.#acrossView(dx, dy));
  }

  #wheel(event) {
    event.preventDefault();
    if (!this.#drag?.side) return this.#stage.zoom(event.deltaY > 0 ? 1.08 : 1 / 1.08);
    const ahead = this.#stage.camera.getWorldDirection(new THREE.Vector3());
    this.#shift(ahead.multiplyScalar(event.deltaY > 0 ? -M_PER_NOTCH : M_PER_NOTCH));
  }

  /** The dragged hand, once the robot follows it. */
  get #moved() {
    const { side } = this.#drag;
    return this.#engaged[side] ? this.hands[side] : null;
  }

  #shift(way) {
    this.#moved?.goal.position.add(way);
  }

  #rotate(dx, dy) {
    const { up, right } = this.#viewAxes();
    const turn = new THREE.Quaternion().setFromAxisAngle(up, dx * RAD_PER_PIXEL);
    turn.multiply(new THREE.Quaternion().setFromAxisAngle(right, dy * RAD_PER_PIXEL));
    this.#moved?.goal.rotation.premultiply(turn);
  }

  /** Metres at the handle's distance for pixels on the screen. */
  #acrossView(dx, dy) {
    const { camera } = this.#stage;
    const distance = camera.position.distanceTo(this.hands[this.#drag.side].handle.position);
    const height = 2 * distance * Math.tan((camera.getEffectiveFOV() * Math.PI) / 360);
    const scale = height / innerHeight;
    const { up, right } = this.#viewAxes();
    return right.multiplyScalar(dx * scale).addScaledVector(up, -dy * scale);
  }

  #viewAxes() {
    const right = new THREE.Vector3(), up = new THREE.Vector3(), back = new THREE.Vector3();
    this.#stage.camera.matrixWorld.extractBasis(right, up, back);
    return { right, up };
  }

  #sideUnder(event) {
    const point = new THREE.Vector2(
      (2 * event.clientX) / innerWidth - 1, 1 - (2 * event.clientY) / innerHeight);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(point, this.#stage.camera);
    const handles = SIDES.map((side) => this.hands[side].handle);
    const hit = ray.intersectObjects(handles)[0];
    return hit ? SIDES[handles.indexOf(hit.object)] : null;
  }

  // Keys and buttons

  #listenToKeys() {
    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (this.#press(event)) event.preventDefault();
    });
    addEventListener("keyup", (event) => this.#keys.delete(event.code));
    addEventListener("blur", () => this.release());
    document.addEventListener("visibilitychange", () => this.release());
  }

  #press({ code, repeat, target }) {
    const onButton = target.closest?.("button, summary");
    if (code in KEYS) this.#keys.add(code);
    else if (code in CHOICES) this.#choose(CHOICES[code]);
    else if (code === "Escape") this.stop();
    else if (code === "Space" && !onButton) repeat || this.#toggle();
    else return false;
    return true;
  }

  #listenToButtons() {
    clutch.onclick = () => this.#toggle();
    document.getElementById("stop").onclick = () => this.stop();
    for (const button of choices) button.onclick = () => this.#choose(button.dataset.hand);
    this.#showControls();
  }

  #showControls() {
    clutch.setAttribute("aria-pressed", this.latched);
    clutch.firstChild.textContent = this.latched ? "Release " : "Engage ";
    for (const button of choices) {
      button.setAttribute("aria-checked", button.dataset.hand === this.chosen);
    }
  }
}

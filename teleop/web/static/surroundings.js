// Where things stand around a headset: the robot small to the left, the panel to the
// right, both turned to the operator, so that the view ahead stays free. Balls mark the
// operator's own hands: green ones move the robot.

import * as THREE from "./vendor/three.min.js";

const ROBOT = { around: 0.45, distance: 1.35, height: -0.9, scale: 0.6 };
const PANEL = { around: -0.36, distance: 1.0, height: -0.14 };
const HAND_RADIUS_M = 0.02;
const FREE_COLOR = 0x4cc2ff, HELD_COLOR = 0x3ddc97;
const FAR_M = 0.8; // the operator walked away: things follow

export class Surroundings {
  constructor(scene, figure, panel) {
    this.#figure = figure.root;
    this.#panel = panel.mesh;
    scene.add(this.#hands.left, this.#hands.right);
    this.leave();
  }

  #figure;
  #panel;
  #hands = { left: handMarker(), right: handMarker() };
  #at = null;

  /** Back to the page: the robot stands in the middle in its own size. */
  leave() {
    this.#at = null;
    this.#panel.visible = false;
    for (const marker of Object.values(this.#hands)) marker.visible = false;
    this.#figure.position.set(0, 0, 0);
    this.#figure.rotation.set(0, 0, 0);
    this.#figure.scale.setScalar(1);
  }

  /** Things come to the operator again: where they stand now is somewhere else. */
  standAnew() {
    this.#at = null;
  }

  /** `frame`: the operator as it is sent; `engaged`: by hand. */
  follow(frame, engaged) {
    for (const [side, marker] of Object.entries(this.#hands)) {
      mark(marker, frame[side]?.grip, engaged?.[side]);
    }
    if (frame.head.valid) this.#keepNear(frame.head);
  }

  #keepNear(head) {
    const eye = new THREE.Vector3(...head.p);
    if (this.#at && Math.hypot(eye.x - this.#at.x, eye.z - this.#at.z) < FAR_M) return;
    this.#at = eye;
    const ahead = new THREE.Vector3(0, 0, -1).applyQuaternion(new THREE.Quaternion(...head.q));
    const yaw = Math.atan2(-ahead.x, -ahead.z);
    this.#stand(this.#figure, eye, yaw, ROBOT);
    this.#figure.rotation.set(0, yaw, 0); // it faces where the operator faces
    this.#figure.scale.setScalar(ROBOT.scale);
    this.#stand(this.#panel, eye, yaw, PANEL);
    this.#panel.lookAt(eye);
    this.#panel.visible = true;
  }

  #stand(node, eye, yaw, { around, distance, height }) {
    const angle = yaw + around;
    node.position.set(
      eye.x - distance * Math.sin(angle), eye.y + height, eye.z - distance * Math.cos(angle));
  }
}

function handMarker() {
  const ball = new THREE.SphereGeometry(HAND_RADIUS_M, 16, 12);
  return new THREE.Mesh(ball, new THREE.MeshLambertMaterial());
}

function mark(marker, grip, engaged) {
  marker.visible = Boolean(grip?.valid);
  if (marker.visible) marker.position.fromArray(grip.p);
  marker.material.color.set(engaged ? HELD_COLOR : FREE_COLOR);
}

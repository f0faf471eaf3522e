// Where things stand around a headset: the robot small to the left, the panel to the
// right, both turned to the operator, so that the view ahead stays free.

import * as THREE from "./vendor/three.min.js";

const ROBOT = { around: 0.45, distance: 1.35, height: -0.9, scale: 0.6 };
const PANEL = { around: -0.36, distance: 1.0, height: -0.14 };
const FAR_M = 0.8; // the operator walked away: things follow

export class Surroundings {
  constructor(figure, panel) {
    this.#figure = figure.root;
    this.#panel = panel.mesh;
    this.leave();
  }

  #figure;
  #panel;
  #at = null;

  /** Back to the page: the robot stands in the middle in its own size. */
  leave() {
    this.#at = null;
    this.#panel.visible = false;
    this.#figure.position.set(0, 0, 0);
    this.#figure.rotation.set(0, 0, 0);
    this.#figure.scale.setScalar(1);
  }

  /** `head`: the operator's pose as it is sent. */
  follow(head) {
    if (!head?.valid) return;
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

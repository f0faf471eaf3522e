// The robot: one node per joint, turned by the angles the robot reports.

import * as THREE from "./vendor/three.min.js";

const LOAD_COLOR = 0xff8a4c;
const LOAD_RADIUS_M = 0.09;
const LOAD_M_PER_KG = 0.012;
const STALE_BRIGHTNESS = 0.18;
const SHOWN_KG = 0.3; // lighter loads are noise of the estimate

export class RobotFigure {
  /** `description`: robot.json. The figure faces -z, as the operator does. */
  constructor(description) {
    this.root = new THREE.Group();
    this.#joints = description.joints;
    const axes = new THREE.Group(); // robot axes: x forward, y left, z up
    axes.quaternion.set(-0.5, 0.5, 0.5, 0.5);
    this.root.add(axes);
    for (const joint of description.joints) {
      const parent = joint.parent < 0 ? axes : this.#moving[joint.parent];
      this.#moving.push(jointNode(parent, joint, this.#material));
    }
    for (const [side, tip] of Object.entries(description.tips)) {
      this.tips[side] = placed(new THREE.Group(), tip);
      this.#moving[tip.joint].add(this.tips[side]);
      this.#loads[side] = loadMesh();
      this.tips[side].add(this.#loads[side]);
    }
    const { base, q } = description.home;
    this.show(base, q);
  }

  tips = {};
  #material = new THREE.MeshLambertMaterial({ vertexColors: true });
  #joints;
  #moving = [];
  #loads = {};

  /** `base`: pose in robot axes; `q`: angles of all joints in the figure's order. */
  show(base, q) {
    if (base) placed(this.#moving[0], base);
    q.forEach((angle, index) => move(this.#moving[index + 1], this.#joints[index + 1], angle));
  }

  showLoads(payload) {
    for (const [side, load] of Object.entries(this.#loads)) {
      const mass = payload?.find((entry) => entry.link === side)?.mass_kg ?? 0;
      load.visible = mass > SHOWN_KG;
      if (load.visible) load.scale.z = mass * LOAD_M_PER_KG;
    }
  }

  /** What is shown is not what the robot does now. */
  dim(stale) {
    this.#material.color.setScalar(stale ? STALE_BRIGHTNESS : 1);
    if (stale) this.showLoads(null);
  }

  /** Position of a tip in the world of the view. */
  tip(side, target = new THREE.Vector3()) {
    return this.tips[side].getWorldPosition(target);
  }

  /** Position of a tip in robot axes [m], for checks against the robot's own. */
  tipInRobotAxes(side) {
    const axes = this.root.children[0];
    axes.updateWorldMatrix(true, false);
    return axes.worldToLocal(this.tip(side)).toArray();
  }
}

function placed(node, { p, q }) {
  node.position.fromArray(p);
  node.quaternion.fromArray(q);
  return node;
}

/** A node at the joint's place; what it returns inside moves with the joint. */
function jointNode(parent, joint, material) {
  const fixed = joint.kind === "free" ? new THREE.Group() : placed(new THREE.Group(), joint);
  const moving = new THREE.Group();
  parent.add(fixed);
  fixed.add(moving);
  if (joint.shapes.length) {
    moving.add(new THREE.Mesh(merged(joint.shapes), material));
  }
  return moving;
}

const axis = new THREE.Vector3();

function move(node, joint, value) {
  axis.fromArray(joint.axis);
  if (joint.kind === "turn") node.quaternion.setFromAxisAngle(axis, value);
  else node.position.copy(axis).multiplyScalar(value);
}

function loadMesh() {
  const discs = new THREE.CylinderGeometry(LOAD_RADIUS_M, LOAD_RADIUS_M, 1, 32);
  discs.rotateX(Math.PI / 2); // stacked along the forearm, its z
  const mesh = new THREE.Mesh(discs, new THREE.MeshLambertMaterial({ color: LOAD_COLOR }));
  mesh.visible = false;
  return mesh;
}

/** Shapes of one link as one geometry, so that a link is one draw call. */
function merged(shapes) {
  const position = [], normal = [], color = [], index = [];
  for (const shape of shapes) {
    const geometry = shapeGeometry(shape);
    const first = position.length / 3;
    position.push(...geometry.attributes.position.array);
    normal.push(...geometry.attributes.normal.array);
    index.push(...Array.from(geometry.index.array, (i) => i + first));
    const rgb = new THREE.Color(...shape.color).convertSRGBToLinear();
    for (let i = geometry.attributes.position.count; i > 0; i--) color.push(rgb.r, rgb.g, rgb.b);
    geometry.dispose();
  }
  const whole = new THREE.BufferGeometry();
  const floats = (values) => new THREE.BufferAttribute(new Float32Array(values), 3);
  whole.setAttribute("position", floats(position));
  whole.setAttribute("normal", floats(normal));
  whole.setAttribute("color", floats(color));
  whole.setIndex(index);
  return whole;
}

/** Cylinders and capsules of the robot lie along z, those of three.js along y. */
function shapeGeometry({ kind, size, p, q }) {
  const geometry = {
    box: () => new THREE.BoxGeometry(...size),
    sphere: () => new THREE.SphereGeometry(size[0], 12, 7),
    cylinder: () => new THREE.CylinderGeometry(size[0], size[0], size[1], 14).rotateX(Math.PI / 2),
    capsule: () => new THREE.CapsuleGeometry(size[0], size[1], 4, 14).rotateX(Math.PI / 2),
  }[kind]();
  const placement = new THREE.Matrix4().compose(
    new THREE.Vector3(...p), new THREE.Quaternion(...q), new THREE.Vector3(1, 1, 1));
  return geometry.applyMatrix4(placement);
}

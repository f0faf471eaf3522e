// Renderer, light, floor and camera; dragging empty space turns the view.

import * as THREE from "./vendor/three.min.js";

const CENTRE = new THREE.Vector3(0, 0.85, 0);
const START = { around: 0.62, above: 0.24, distance: 3.2 }; // in front, to its right
const GROUND = 0x0c1118;
const FLOOR_M = 12, CELL_M = 0.5, PIECE_M = 1;

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: hasGpu() });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.xr.enabled = true;
    this.scene = new THREE.Scene();
    this.scene.background = new THREE.Color(GROUND);
    this.scene.fog = new THREE.Fog(GROUND, 3.2, 6.5);
    this.camera = new THREE.PerspectiveCamera(38, 1, 0.05, 30);
    this.#light();
    this.#floor();
    addEventListener("resize", () => this.#fit());
    this.#fit();
  }

  #orbit = { ...START };

  /** Turn the view by pixels. */
  turn(dx, dy) {
    this.#orbit.around -= dx * 0.006;
    this.#orbit.above = Math.min(Math.max(this.#orbit.above + dy * 0.006, -0.1), 1.5);
    this.#aim();
  }

  zoom(factor) {
    this.#orbit.distance = Math.min(Math.max(this.#orbit.distance * factor, 1.2), 7);
    this.#aim();
  }

  render() {
    this.renderer.render(this.scene, this.camera);
  }

  #fit() {
    if (this.renderer.xr.isPresenting) return;
    this.renderer.setSize(innerWidth, innerHeight, false);
    this.camera.aspect = innerWidth / innerHeight;
    this.#aim();
  }

  #aim() {
    const { around, above, distance } = this.#orbit;
    const flat = distance * Math.cos(above);
    this.camera.position.set(
      CENTRE.x + flat * Math.sin(around), CENTRE.y + distance * Math.sin(above),
      CENTRE.z - flat * Math.cos(around));
    this.camera.lookAt(CENTRE);
    this.#makeRoom();
    this.camera.updateProjectionMatrix();
  }

  /** Keep the robot clear of the cards: they are at the right, or below on phones. */
  #makeRoom() {
    const [w, h] = [innerWidth, innerHeight];
    const wide = w > 760;
    this.camera.zoom = wide ? 1 : 0.52;
    if (wide) this.camera.setViewOffset(w, h, Math.min(150, w / 8), 0, w, h);
    else this.camera.setViewOffset(w, h, 0, h / 4, w, h);
  }

  #light() {
    this.scene.add(new THREE.HemisphereLight(0xdce8ff, 0x2a3240, 2.1));
    const sun = new THREE.DirectionalLight(0xffffff, 1.9);
    sun.position.set(2, 4, -3);
    this.scene.add(sun);
  }

  #floor() {
    const ground = new THREE.Mesh(
      flat(new THREE.PlaneGeometry(FLOOR_M, FLOOR_M, FLOOR_M, FLOOR_M)),
      new THREE.MeshLambertMaterial({ color: 0x18212e }));
    ground.position.y = -0.004;
    const shade = new THREE.Mesh(
      flat(new THREE.PlaneGeometry(1.5, 1.5)),
      new THREE.MeshBasicMaterial({ map: softSpot(), transparent: true, depthWrite: false }));
    shade.position.y = -0.001;
    const grid = new THREE.LineSegments(
      gridGeometry(), new THREE.LineBasicMaterial({ color: 0x36475f }));
    grid.position.y = -0.002;
    this.scene.add(ground, grid, shade);
  }
}

const flat = (geometry) => geometry.rotateX(-Math.PI / 2);

/**
 * Lines in pieces: software renderers lose long lines and large triangles
 * that reach behind the camera.
 */
function gridGeometry() {
  const points = [], half = FLOOR_M / 2;
  for (let a = -half; a <= half; a += CELL_M) {
    for (let b = -half; b < half; b += PIECE_M) {
      points.push(a, 0, b, a, 0, b + PIECE_M, b, 0, a, b + PIECE_M, 0, a);
    }
  }
  const positions = new THREE.BufferAttribute(new Float32Array(points), 3);
  return new THREE.BufferGeometry().setAttribute("position", positions);
}

/** Smooth edges take most of the frame's time where the processor draws. */
function hasGpu() {
  const probe = document.createElement("canvas").getContext("webgl2");
  const info = probe?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? probe.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  probe?.getExtension("WEBGL_lose_context")?.loseContext();
  return !/swiftshader|llvmpipe|software/i.test(name);
}

/** A dark spot that fades outward: where the robot stands. */
function softSpot() {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 128;
  const draw = canvas.getContext("2d");
  const fade = draw.createRadialGradient(64, 64, 8, 64, 64, 64);
  fade.addColorStop(0, "rgba(0, 0, 0, 0.65)");
  fade.addColorStop(1, "rgba(0, 0, 0, 0)");
  draw.fillStyle = fade;
  draw.fillRect(0, 0, 128, 128);
  return new THREE.CanvasTexture(canvas);
}

// What the operator reads in VR: one panel, drawn when its words change.

import * as THREE from "./vendor/three.min.js";

const WIDTH = 1024, HEIGHT = 700;
const WIDTH_M = 0.72;
const PERIOD_MS = 200;
const FONT = 'system-ui, "DejaVu Sans", sans-serif';
const COLORS = {
  calm: "#7d8ca1", info: "#4cc2ff", good: "#3ddc97", warn: "#ffb547", bad: "#ff5d6c",
  text: "#e8eef6", soft: "#a9b6c8", load: "#ff8a4c",
};

export class Panel {
  constructor() {
    const canvas = document.createElement("canvas");
    canvas.width = WIDTH;
    canvas.height = HEIGHT;
    this.#draw = canvas.getContext("2d", { willReadFrequently: true }); // for uploads
    this.#texture = new THREE.CanvasTexture(canvas);
    this.#texture.colorSpace = THREE.SRGBColorSpace;
    this.#texture.generateMipmaps = false; // they would be made anew with every word
    this.#texture.minFilter = THREE.LinearFilter;
    const plane = new THREE.PlaneGeometry(WIDTH_M, (WIDTH_M * HEIGHT) / WIDTH);
    const material = new THREE.MeshBasicMaterial({
      map: this.#texture, transparent: true, fog: false, toneMapped: false });
    this.mesh = new THREE.Mesh(plane, material);
  }

  #draw;
  #texture;
  #shown = "";
  #paintedAt = -Infinity;

  show(reading) {
    const now = performance.now();
    if (now - this.#paintedAt < PERIOD_MS) return;
    const { numbers: _, ...words } = reading;
    const key = JSON.stringify(words);
    if (key === this.#shown) return;
    this.#shown = key;
    this.#paintedAt = now;
    this.#paint(reading);
    this.#texture.needsUpdate = true;
  }

  #paint({ link, state, hands, margin }) {
    const draw = this.#draw;
    draw.clearRect(0, 0, WIDTH, HEIGHT);
    this.#box(0, 0, WIDTH, HEIGHT, 40, "rgba(14, 20, 29, 0.9)");
    this.#dot(70, 74, 13, link.level);
    this.#text(link.text, 100, 88, 40, COLORS.soft);
    this.#text(state.text, 56, 188, 84, COLORS[state.level], 650);
    this.#text(state.reason, 56, 244, 36, COLORS.soft, 400, WIDTH - 112);
    this.#hand("Left", hands.left, 40);
    this.#hand("Right", hands.right, 532);
    this.#text("Balance margin", 56, 622, 36, COLORS.soft);
    this.#text(margin.text, WIDTH - 56, 622, 40, COLORS.text, 600, 400, "right");
    this.#bar(56, 644, WIDTH - 112, margin.share, COLORS[margin.level]);
  }

  #hand(name, hand, x) {
    this.#box(x, 280, 452, 270, 28, "rgba(148, 170, 200, 0.1)");
    this.#text(name, x + 32, 336, 40, COLORS.text, 600);
    const [word, level] = hand.engaged ? ["Engaged", "good"] : ["Free", "calm"];
    this.#text(word, x + 420, 336, 36, COLORS[level], 600, 260, "right");
    this.#text(hand.payload, x + 32, 412, 56, COLORS.text, 600, 392);
    this.#bar(x + 32, 434, 388, hand.load, COLORS.load);
    this.#text("Target error", x + 32, 512, 36, COLORS.soft);
    const color = hand.far ? COLORS.warn : COLORS.text;
    this.#text(hand.reach, x + 420, 512, 40, color, 600, 200, "right");
  }

  #text(text, x, y, size, color, weight = 400, width = undefined, align = "left") {
    const draw = this.#draw;
    draw.font = `${weight} ${size}px ${FONT}`;
    draw.textAlign = align;
    draw.fillStyle = color;
    draw.fillText(text, x, y, width);
  }

  #box(x, y, width, height, radius, color) {
    const draw = this.#draw;
    draw.fillStyle = color;
    draw.beginPath();
    draw.roundRect(x, y, width, height, radius);
    draw.fill();
  }

  #bar(x, y, width, share, color) {
    this.#box(x, y, width, 14, 7, "rgba(148, 170, 200, 0.18)");
    if (share > 0) this.#box(x, y, Math.max(width * share, 14), 14, 7, color);
  }

  #dot(x, y, radius, level) {
    const draw = this.#draw;
    draw.fillStyle = COLORS[level];
    draw.beginPath();
    draw.arc(x, y, radius, 0, 2 * Math.PI);
    draw.fill();
  }
}

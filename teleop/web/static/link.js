// The socket: connects, says who this is, measures the clock, comes back when lost.
//
// `tick` does all of it and is called from every frame, so that the link also comes back
// from inside a VR session, where timers of the page may rest.

import { ClockOffset } from "./clock.js";
import { VERSION } from "./frames.js";

const FIRST_WAIT_S = 0.25;
const LONGEST_WAIT_S = 4;
const CONNECT_TIMEOUT_S = 5;
const SILENCE_S = 2; // the server speaks 20 times a second
const PING_PERIOD_S = 1;
const HELLO_PERIOD_S = 2; // asked again while another client drives
const FULL_BYTES = 4096; // more than this waiting: the frame is skipped, not queued
const REPLACED = 4001;
const NO_TOKEN = 4003;

const seconds = () => performance.now() / 1000;

/** Who this page is: the same after a reload, another in another tab. */
function clientId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const fresh = Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
  const id = sessionStorage.getItem("client") ?? fresh;
  sessionStorage.setItem("client", id);
  return id;
}

export class Link {
  /** `url`: of the socket; `page`: "xr" or "desktop"; `onStatus`: gets each status. */
  constructor(url, page, onStatus) {
    this.client = clientId();
    this.page = page;
    this.seq = 0;
    this.sent = 0;
    this.skipped = 0;
    this.reconnects = 0;
    this.accepted = null; // null: not answered yet
    this.refusal = null;
    this.replaced = false; // another window drives on with this one's name
    this.locked = false; // the address lacks the token that the terminal shows
    this.status = null;
    this.statusAt = -Infinity;
    this.clock = new ClockOffset();
    this.#url = url;
    this.#onStatus = onStatus;
    this.#connect();
  }

  #url;
  #onStatus;
  #socket = null;
  #startedAt = 0;
  #heardAt = 0;
  #retryAt = Infinity;
  #wait = FIRST_WAIT_S;
  #pingAt = 0;
  #pingId = 0;
  #helloAt = Infinity;

  get open() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Whether what the page shows is what the robot does now. */
  get live() {
    return this.open && seconds() - this.statusAt < SILENCE_S / 2;
  }

  /** Say which page drives: entering VR changes it. */
  become(page) {
    this.page = page;
    if (this.open) this.#hello();
  }

  /** Take the robot back after another window took it. */
  takeBack() {
    this.replaced = false;
    this.#retryAt = 0;
  }

  tick() {
    const now = seconds();
    if (this.open) {
      if (now - this.#heardAt > SILENCE_S) this.drop();
      else this.#keepUp(now);
    } else if (this.#socket) {
      if (now - this.#startedAt > CONNECT_TIMEOUT_S) this.drop();
    } else if (now >= this.#retryAt && !this.replaced && !this.locked) {
      this.#connect();
    }
  }

  /** Stop the robot, also while another client drives it. */
  stop() {
    if (this.open) this.#send({ type: "stop" });
  }

  /** Send a pose frame, or skip it while earlier ones are still waiting. */
  sendPose(frame) {
    if (!this.open || !this.accepted) return false;
    if (this.#socket.bufferedAmount > FULL_BYTES) {
      this.skipped += 1;
      return false;
    }
    this.#send({ ...frame, seq: this.seq++ });
    this.sent += 1;
    return true;
  }

  #keepUp(now) {
    if (now >= this.#pingAt) {
      this.#pingAt = now + PING_PERIOD_S;
      this.#send({ type: "ping", id: this.#pingId++, t: now });
    }
    if (!this.accepted && now >= this.#helloAt) this.#hello();
  }

  #connect() {
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    this.#startedAt = seconds();
    socket.onopen = () => {
      this.#heardAt = seconds();
      this.#pingAt = 0;
      this.#hello();
    };
    socket.onmessage = (event) => this.#receive(event.data);
    socket.onclose = (event) => {
      if (socket !== this.#socket) return;
      this.replaced = event.code === REPLACED;
      this.locked = event.code === NO_TOKEN;
      this.drop();
    };
  }

  /** Let the socket go, whatever its state, and come back later. */
  drop() {
    const socket = this.#socket;
    this.#socket = null;
    this.accepted = null;
    socket.close();
    this.#retryAt = seconds() + this.#wait * (0.75 + 0.5 * Math.random());
    this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT_S);
    this.reconnects += 1;
  }

  #hello() {
    this.#helloAt = seconds() + HELLO_PERIOD_S;
    const { client, page } = this;
    this.#send({ type: "hello", client, page, version: VERSION });
  }

  #send(message) {
    this.#socket.send(JSON.stringify(message));
  }

  #receive(text) {
    const now = seconds();
    const message = JSON.parse(text);
    this.#heardAt = now;
    if (message.type === "status") {
      this.#wait = FIRST_WAIT_S;
      this.status = message;
      this.statusAt = now;
      this.#onStatus(message);
    } else if (message.type === "welcome") {
      this.accepted = message.accepted;
      this.refusal = message.reason;
    } else if (message.type === "pong") {
      this.clock.add(message.t, message.server_t, now);
      const { offset, rtt } = this.clock.best;
      if (this.accepted) this.#send({ type: "clock", offset_s: offset, rtt_s: rtt });
    }
  }
}

// Offset between this device's clock and the server's, from pings.

const KEPT = 20;

export class ClockOffset {
  #samples = [];

  /** Take one answer; times in seconds, `now` and `sent` on this clock. */
  add(sent, serverTime, now) {
    const rtt = now - sent;
    this.#samples.push({ rtt, offset: serverTime - (sent + now) / 2 });
    if (this.#samples.length > KEPT) this.#samples.shift();
  }

  /** The sample that waited least knows best; null before the first. */
  get best() {
    return this.#samples.reduce((a, b) => (a && a.rtt <= b.rtt ? a : b), null);
  }
}

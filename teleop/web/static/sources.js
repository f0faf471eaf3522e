// Which input source is a hand, where several say that they are the same one.
//
// The one whose clutch is held stays. Else a tracked pointer goes before a transient one
// (a glance, a tap), one with a pose before one without, and the one of the last frame
// before its equals. Each source has a number: the robot lets go when it changes.

const OPEN = 0.4; // a squeeze below this holds nothing; the server's default, too

const SIDES = ["left", "right"];

export class HandSources {
  #numbers = new WeakMap();
  #count = 0;
  #chosen = { left: null, right: null };

  /** Hands of a frame by side, from pairs of a source and what it does now. */
  choose(found) {
    return Object.fromEntries(SIDES.map((side) => [side, this.#ofSide(side, found)]));
  }

  #ofSide(side, found) {
    const pairs = found.filter(([{ handedness }]) => handedness === side);
    const same = pairs.find(([source]) => source === this.#chosen[side]);
    const [source, hand] = same?.[1].squeeze > OPEN ? same : this.#best(pairs, same);
    if (!hand) return null; // whoever was chosen may come back
    this.#chosen[side] = source;
    return { ...hand, source: this.#number(source) };
  }

  #best(pairs, same) {
    const rank = (pair) =>
      4 * (pair[0].targetRayMode !== "tracked-pointer") + 2 * !pair[1].grip.valid + (pair !== same);
    return pairs.reduce((a, b) => (a && rank(a) <= rank(b) ? a : b), null) ?? [];
  }

  #number(source) {
    if (!this.#numbers.has(source)) this.#numbers.set(source, ++this.#count);
    return this.#numbers.get(source);
  }
}

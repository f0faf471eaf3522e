// The cards beside the robot.

const LEVELS = ["calm", "info", "good", "warn", "bad"];

const byId = (id) => document.getElementById(id);

export class Dashboard {
  #link = byId("link");
  #linkText = byId("link-text");
  #stateCard = byId("state-card");
  #hands = { left: handParts("left"), right: handParts("right") };
  #marginBar = byId("margin-bar");

  show(reading) {
    document.body.dataset.link = reading.link.level;
    setLevel(this.#link, reading.link.level);
    setText(this.#linkText, reading.link.text);
    setLevel(this.#stateCard, reading.state.level);
    setText(byId("state"), reading.state.text);
    setText(byId("reason"), reading.state.reason);
    for (const side of ["left", "right"]) {
      showHand(this.#hands[side], reading.hands[side]);
    }
    setText(byId("margin"), reading.margin.text);
    setLevel(this.#marginBar, reading.margin.level);
    setShare(this.#marginBar.firstElementChild, reading.margin.share);
    setText(byId("numbers"), reading.numbers);
  }
}

function handParts(side) {
  const part = (name) => byId(side).querySelector(`[data-name=${name}]`);
  const [chip, payload, reach, load] = ["engaged", "payload", "reach", "load"].map(part);
  return { chip, word: chip.querySelector("b"), payload, reach, load };
}

function showHand(parts, hand) {
  setLevel(parts.chip, hand.engaged ? "good" : "calm");
  setText(parts.word, hand.engaged ? "Engaged" : "Free");
  setText(parts.payload, hand.payload);
  setText(parts.reach, hand.reach);
  parts.reach.classList.toggle("far", hand.far);
  setShare(parts.load, hand.load);
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function setLevel(element, level) {
  if (element.classList.contains(level)) return;
  element.classList.remove(...LEVELS);
  element.classList.add(level);
}

function setShare(element, share) {
  element.style.setProperty("--share", share.toFixed(3));
}

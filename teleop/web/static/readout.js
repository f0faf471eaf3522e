// What the operator reads, as words and levels; the page and the panel in VR show it.

const STATES = {
  idle: ["Idle", "calm"],
  ready: ["Ready", "info"],
  engaged: ["Engaged", "good"],
  held: ["Held", "warn"],
  stopped: ["Stopped", "bad"],
};
const HINTS = {
  ready: "Squeeze to move the robot",
  stopped: "Squeeze again to go on",
};
const STALE_S = 0.5;
const FULL_MARGIN_M = 0.08;
const FULL_LOAD_KG = 8;
const NONE = "–";

const share = (value, full) => Math.min(Math.max(value / full, 0), 1);
const isNumber = Number.isFinite;

export function readout(link) {
  const status = link.live ? link.status : null;
  return {
    link: linkReading(link, status),
    state: stateReading(link, status),
    hands: { left: handReading(status, "left"), right: handReading(status, "right") },
    margin: marginReading(status),
    numbers: numbers(link, status),
  };
}

function linkReading(link, status) {
  if (link.locked) return { text: "Open the address that the terminal shows, token included", level: "bad" };
  if (link.replaced) return { text: "Another window drives: press to take over", level: "bad" };
  if (!link.open) {
    const again = link.reconnects > 0;
    return again
      ? { text: `Link lost, reconnecting (${link.reconnects})`, level: "bad" }
      : { text: "Connecting", level: "calm" };
  }
  if (!status) return { text: "No answer", level: "bad" };
  if (link.accepted === false) return { text: "Watching only", level: "warn" };
  if (isNumber(status.age_s) && status.age_s > STALE_S) {
    return { text: `Robot silent for ${status.age_s.toFixed(1)} s`, level: "bad" };
  }
  const rate = `${Math.round(status.rate_hz)} Hz`;
  if (status.link === "ok") return { text: `Connected, ${rate}`, level: "good" };
  if (status.link === "stale") return { text: `Slow, ${rate}`, level: "warn" };
  return { text: "No poses arrive", level: "warn" };
}

function stateReading(link, status) {
  if (!status) {
    return { text: "No link", level: "bad", reason: "The robot holds still" };
  }
  if (link.accepted === false) {
    const reason = link.refusal ?? "another client drives";
    return { text: "Watching", level: "calm", reason };
  }
  const [text, level] = STATES[status.state] ?? [status.state, "warn"];
  const reason = status.reason ?? HINTS[status.state] ?? "";
  return { text, level, reason };
}

function handReading(status, side) {
  const load = status?.payload?.find((entry) => entry.link === side);
  const reach = status?.reach?.[side];
  const known = load && isNumber(load.mass_kg);
  return {
    engaged: Boolean(status?.engaged?.[side]),
    payload: known ? `${load.mass_kg.toFixed(1)} ± ${load.sigma_kg.toFixed(1)} kg` : NONE,
    load: known ? share(load.mass_kg, FULL_LOAD_KG) : 0,
    reach: isNumber(reach) ? `${(1000 * reach).toFixed(0)} mm` : NONE,
    far: isNumber(reach) && reach > 0.05,
  };
}

function marginReading(status) {
  const margin = status?.margin_m;
  if (!isNumber(margin)) return { text: NONE, share: 0, level: "calm" };
  const level = margin > 0.03 ? "good" : margin > 0.015 ? "warn" : "bad";
  const text = `${(100 * margin).toFixed(1)} cm`;
  return { text, share: share(margin, FULL_MARGIN_M), level };
}

function numbers(link, status) {
  const best = link.clock.best;
  const parts = [`${link.sent} frames`, `${link.skipped} skipped`];
  if (status) parts.push(`${status.gaps} gaps`);
  if (best) parts.push(`round trip ${(1000 * best.rtt).toFixed(1)} ms`);
  return parts.join(" · ");
}

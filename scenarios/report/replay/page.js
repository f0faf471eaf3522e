// Drives the animation from one clock of its own, and draws plots that follow it.
(function () {
  "use strict";
  const animator = viewer.animator;
  const byId = id => document.getElementById(id);
  const [play, scrub, clock, speed] = ["play", "scrub", "clock", "speed"].map(byId);
  const start = DATA.start_s, end = DATA.end_s;
  const state = { time: start, playing: true, last: null, shown: "both" };
  animator.pause();

  scrub.min = start;
  scrub.max = end;

  function goTo(time) {
    state.time = Math.max(start, Math.min(end, time));
    animator.seek(state.time - start);
    scrub.value = state.time;
    clock.value = state.time.toFixed(1) + " / " + end.toFixed(1) + " s";
    drawPlots();
    markEvent();
  }

  function setPlaying(playing) {
    if (playing && state.time >= end) goTo(start);
    state.playing = playing;
    state.last = null;
    play.textContent = playing ? "Pause" : "Play";
  }

  function step(now) {
    if (state.playing && state.last !== null) {
      const ahead = state.time + (now - state.last) / 1000 * Number(speed.value);
      goTo(ahead > end ? start : ahead);
    }
    state.last = now;
    requestAnimationFrame(step);
  }

  play.addEventListener("click", () => setPlaying(!state.playing));
  scrub.addEventListener("input", () => {
    setPlaying(false);
    goTo(Number(scrub.value));
  });
  document.addEventListener("keydown", event => {
    if (event.target.matches("select, input[type=radio], summary, #events button")) return;
    if (event.key === " " && event.target !== play) {
      event.preventDefault();
      setPlaying(!state.playing);
    }
    const steps = { ArrowLeft: -0.2, ArrowRight: 0.2 };
    if (event.key in steps && event.target !== scrub) goTo(state.time + steps[event.key]);
  });

  // Who is who.
  for (const robot of DATA.robots) {
    const line = document.createElement("div");
    const patch = document.createElement("i");
    patch.style.background = robot.color;
    line.append(patch, robot.text);
    byId("robots").append(line);
  }
  document.querySelector(".estimate").hidden = !DATA.has_reports;

  // Both runs or one.
  const nodes = { robot: "with", other: "without" };
  function show(which) {
    state.shown = which;
    for (const [node, name] of Object.entries(nodes)) {
      viewer.handle_command({
        type: "set_property", path: "/meshcat/" + node, property: "visible",
        value: which === "both" || which === name,
      });
    }
    drawPlots();
  }
  if (DATA.robots.length > 1) {
    for (const [name, text] of [["both", "both"], ["with", "with"], ["without", "without"]]) {
      const label = document.createElement("label");
      const input = document.createElement("input");
      input.type = "radio";
      input.name = "shown";
      input.value = name;
      input.checked = name === "both";
      input.addEventListener("change", () => show(name));
      label.append(input, " " + text);
      byId("shown").append(label);
    }
  }

  // Events, on the time line and as a list.
  const items = DATA.events.map(([time, text]) => {
    const mark = document.createElement("i");
    mark.style.left = 100 * (time - start) / Math.max(end - start, 1e-9) + "%";
    byId("marks").append(mark);
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = time.toFixed(2) + " s  " + text;
    button.addEventListener("click", () => { setPlaying(false); goTo(time); });
    item.append(button);
    byId("events").append(item);
    return [time, item];
  });
  function markEvent() {
    let now = null;
    for (const [time, item] of items) {
      item.classList.remove("now");
      if (time <= state.time + 1e-6) now = item;
    }
    if (now) now.classList.add("now");
  }

  // Plots.
  const plots = DATA.plots.map(plot => {
    const canvas = document.createElement("canvas");
    canvas.className = "plot";
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", plot.title);
    byId("plots").append(canvas);
    return { canvas, plot };
  });
  const isShown = curve =>
    !curve.run || state.shown === "both" || state.shown === curve.run;

  function range(curves) {
    let low = Infinity, high = -Infinity;
    for (const curve of curves) {
      for (const value of [...curve.y, ...(curve.low || []), ...(curve.high || [])]) {
        if (value !== null) { low = Math.min(low, value); high = Math.max(high, value); }
      }
    }
    if (!(high >= low)) return [0, 1];
    const room = Math.max(high - low, 0.05) * 0.08;
    return [low - room, high + room];
  }

  function drawPlots() {
    for (const { canvas, plot } of plots) drawPlot(canvas, plot);
  }

  function drawPlot(canvas, plot) {
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== width * ratio) canvas.width = width * ratio;
    if (canvas.height !== height * ratio) canvas.height = height * ratio;
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const box = { left: 40, right: width - 8, top: 32, bottom: height - 16 };
    const curves = plot.curves.filter(isShown);
    const [low, high] = range(plot.curves);
    const x = time => box.left + (time - start) / (end - start) * (box.right - box.left);
    const y = value => box.bottom - (value - low) / (high - low) * (box.bottom - box.top);
    pen.font = "11px sans-serif";
    pen.fillStyle = "#222";
    pen.fillText(plot.title, 4, 11);
    pen.strokeStyle = "#ccc";
    pen.strokeRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    pen.textAlign = "right";
    for (const value of ticks(low, high, 3)) {
      pen.fillText(String(Number(value.toPrecision(6))), box.left - 4, y(value) + 4);
    }
    pen.textAlign = "center";
    for (const value of ticks(start, end, 5)) {
      pen.fillText(value === 0 ? "0 s" : String(Number(value.toPrecision(6))), x(value),
        height - 4);
    }
    pen.textAlign = "left";
    let left = 4;
    for (const curve of curves) {
      pen.fillStyle = curve.color;
      pen.fillRect(left, 18, 10, 3);
      pen.fillStyle = "#222";
      pen.fillText(curve.label, left + 13, 24);
      left += 22 + pen.measureText(curve.label).width;
    }
    pen.save();
    pen.beginPath();
    pen.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    pen.clip();
    for (const curve of curves) drawCurve(pen, curve, x, y);
    pen.strokeStyle = "#222";
    pen.setLineDash([3, 3]);
    pen.beginPath();
    pen.moveTo(x(state.time), box.top);
    pen.lineTo(x(state.time), box.bottom);
    pen.stroke();
    pen.restore();
  }

  function drawCurve(pen, curve, x, y) {
    const time = k => start + k / DATA.rate_hz;
    if (curve.low) {
      pen.fillStyle = curve.color + "40";
      pen.beginPath();
      curve.high.forEach((v, k) => v !== null && pen.lineTo(x(time(k)), y(v)));
      for (let k = curve.low.length - 1; k >= 0; k--) {
        if (curve.low[k] !== null) pen.lineTo(x(time(k)), y(curve.low[k]));
      }
      pen.fill();
    }
    pen.strokeStyle = curve.color;
    pen.lineWidth = 1.5;
    pen.setLineDash(curve.dash || []);
    pen.beginPath();
    let down = false;
    curve.y.forEach((value, k) => {
      if (value === null) { down = false; return; }
      if (down) pen.lineTo(x(time(k)), y(value)); else pen.moveTo(x(time(k)), y(value));
      down = true;
    });
    pen.stroke();
    pen.setLineDash([]);
    pen.lineWidth = 1;
  }

  function ticks(low, high, most) {
    const rough = (high - low) / most, scale = 10 ** Math.floor(Math.log10(rough));
    const size = [1, 2, 5, 10].map(f => f * scale).find(s => s >= rough);
    const found = [];
    for (let v = Math.ceil(low / size) * size; v <= high + 1e-9; v += size) found.push(v);
    return found;
  }

  // The viewer takes the window's height for its own; a narrow picture shows it all.
  const pane = byId("meshcat-pane");
  const resize = viewer.set_3d_pane_size.bind(viewer);
  const zoom = viewer.camera.zoom, needed = DATA.robots.length > 1 ? 1.15 : 0.6;
  viewer.set_3d_pane_size = () => {
    const width = pane.clientWidth, height = pane.clientHeight;
    viewer.camera.zoom = zoom * Math.min(1, width / Math.max(height, 1) / needed);
    resize(width, height);
  };
  new ResizeObserver(() => viewer.set_3d_pane_size()).observe(pane);

  if (window.innerWidth < 760) byId("legend").open = false;
  window.addEventListener("resize", drawPlots);
  window.wbmpc = { state, goTo, setPlaying, show };
  goTo(start);
  window.dispatchEvent(new Event("resize"));
  requestAnimationFrame(step);
})();

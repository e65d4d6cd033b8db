"use strict";
(() => {
  const source = document.getElementById("timeline-data");
  const place = document.querySelector(".timeline");
  if (!source || !place) return;
  const data = JSON.parse(source.textContent);
  const ORDER = ["NCRISC", "UNPACK", "MATH", "PACK", "BRISC"];
  const WAITS = new Set(["pages", "room", "operands", "dst", "transfers", "signals", "stuck"]);
  for (const core of data.cores) {
    for (const lane of core.lanes) {
      const { pieces } = lane;
      const count = pieces.length / 3;
      lane.from = new Float64Array(count); lane.to = new Float64Array(count); lane.label = new Uint32Array(count);
      for (let i = 0, at = 0; i < count; i++) {
        lane.from[i] = at += pieces[3 * i];
        lane.to[i] = at += pieces[3 * i + 1];
        lane.label[i] = pieces[3 * i + 2];
      }
      delete lane.pieces;
    }
  }
  const make = (name, attributes, ...inside) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...inside);
    return element;
  };
  const grouped = (n) => Math.round(n).toLocaleString("en-US");
  const end = Math.max(1, data.cycles);
  let from = 0, to = end, shownCores = data.shown, path = true, selected = null;
  const threads = new Set(ORDER);

  const select = make("select", { id: "timeline-cores" });
  select.append(make("option", { value: "shown" }, data.cores.length > data.shown.length ? `${data.shown.length} of the ${data.named ? "findings" : "critical path"}` : "all"));
  if (data.cores.length > data.shown.length) select.append(make("option", { value: "all" }, `all ${data.cores.length}`));
  data.cores.forEach((core, i) => select.append(make("option", { value: i }, `core ${core.core}`)));
  const tools = make("div", { class: "tools", role: "group", "aria-label": "Timeline" },
    make("label", { for: "timeline-cores" }, "Cores "), select);
  for (const thread of ORDER) {
    if (!data.cores.some((core) => core.lanes.some((lane) => lane.thread === thread))) continue;
    const box = make("input", { type: "checkbox", checked: "" });
    box.addEventListener("change", () => { box.checked ? threads.add(thread) : threads.delete(thread); layout(); });
    tools.append(make("label", {}, box, ` ${thread}`));
  }
  const pathBox = make("input", { type: "checkbox", checked: "" });
  pathBox.addEventListener("change", () => { path = pathBox.checked; draw(); });
  tools.append(make("label", {}, pathBox, " critical path"));
  const button = (text, label, act) => {
    const one = make("button", { type: "button", "aria-label": label }, text);
    one.addEventListener("click", act);
    tools.append(one);
  };
  button("+", "Zoom in", () => zoom(0.5, (from + to) / 2));
  button("\u2212", "Zoom out", () => zoom(2, (from + to) / 2));
  button("All", "Show all of the time", () => view(0, end));
  const canvas = make("canvas", { tabindex: "0", role: "img", id: "timeline-canvas",
    "aria-label": "Timeline. Plus and minus zoom, left and right move, up and down choose a thread, n and p go from piece to piece." });
  const told = make("p", { class: "told", "aria-live": "polite" }, "Point at a piece, or choose one with n and p.");
  const drawing = place.querySelector("figure");
  drawing.hidden = true;
  place.prepend(tools, canvas, told);

  const LEFT = 86, ROW = 18, TOP = 20;
  let rows = [], rowOf = new Map();
  const style = () => getComputedStyle(document.documentElement);
  function layout() {
    rows = [];
    rowOf = new Map();
    selected = null;
    let y = TOP;
    for (const number of shownCores) {
      const core = data.cores[number];
      rows.push({ title: `core ${core.core}`, y });
      y += ROW;
      for (const lane of core.lanes) {
        if (!threads.has(lane.thread)) continue;
        const row = { lane, number, y };
        rows.push(row);
        rowOf.set(number * ORDER.length + ORDER.indexOf(lane.thread), row);
        y += ROW;
      }
    }
    canvas.style.height = `${y + 6}px`;
    draw();
  }
  const width = () => canvas.clientWidth;
  const x = (cycle) => LEFT + (width() - LEFT - 6) * (cycle - from) / (to - from);
  const cycle = (px) => from + (px - LEFT) * (to - from) / (width() - LEFT - 6);
  const first = (lane, at) => {
    let low = 0, high = lane.to.length;
    while (low < high) { const mid = (low + high) >> 1; lane.to[mid] <= at ? low = mid + 1 : high = mid; }
    return low;
  };
  function draw() {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width() * ratio);
    canvas.height = Math.round(canvas.clientHeight * ratio);
    const g = canvas.getContext("2d");
    const css = style();
    const color = (name) => css.getPropertyValue(`--${name}`).trim();
    const colors = data.kinds.map(color);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width(), canvas.clientHeight);
    g.font = "11px system-ui, sans-serif";
    const span = to - from;
    const power = 10 ** Math.floor(Math.log10(span / 8));
    const step = Math.max(1, [1, 2, 5, 10].map((digit) => digit * power).find((one) => span / one <= 8));
    g.strokeStyle = color("line"); g.fillStyle = color("soft");
    for (let mark = Math.ceil(from / step) * step; mark <= to; mark += step) {
      g.beginPath(); g.moveTo(x(mark), TOP - 4); g.lineTo(x(mark), canvas.clientHeight); g.stroke();
      g.fillText(grouped(mark), x(mark) + 3, 11);
    }
    for (const row of rows) {
      if (row.title) {
        g.fillStyle = color("ink"); g.font = "600 12px system-ui, sans-serif";
        g.fillText(row.title, 0, row.y + 13);
        g.font = "11px system-ui, sans-serif";
        continue;
      }
      g.fillStyle = color("soft");
      g.fillText(row.lane.thread, 8, row.y + 12);
      const { lane } = row;
      for (let i = first(lane, from); i < lane.from.length && lane.from[i] < to; i++) {
        const kind = data.labels[lane.label[i]][0];
        const a = Math.max(LEFT, x(lane.from[i])), b = Math.min(width() - 6, x(lane.to[i]));
        g.fillStyle = colors[kind];
        WAITS.has(data.kinds[kind]) ? g.fillRect(a, row.y + 6, Math.max(.4, b - a), 5) : g.fillRect(a, row.y + 2, Math.max(.4, b - a), 13);
      }
    }
    if (path) {
      g.strokeStyle = color("ink"); g.lineWidth = 1.6; g.beginPath();
      let last = null;
      for (const [core, thread, a, b] of data.path) {
        if (b < from || a > to) { last = null; continue; }
        const row = rowOf.get(core * ORDER.length + thread);
        if (!row) { last = null; continue; }
        const y = row.y + 16, ax = Math.max(LEFT, x(a)), bx = Math.min(width() - 6, x(b));
        last === null ? g.moveTo(ax, y) : g.lineTo(ax, y);
        g.lineTo(bx, y);
        last = y;
      }
      g.stroke();
    }
    if (selected) {
      const { row, i } = selected, a = x(row.lane.from[i]), b = x(row.lane.to[i]);
      g.strokeStyle = color("ink"); g.lineWidth = 1.5;
      g.strokeRect(Math.max(LEFT, a) - 1, row.y + .5, Math.min(width() - 6, b) - Math.max(LEFT, a) + 2, 16);
    }
  }
  function view(a, b) {
    const span = Math.min(end, Math.max(4, b - a));
    from = Math.min(Math.max(0, a), end - span);
    to = from + span;
    draw();
  }
  function zoom(by, at) { view(at - (at - from) * by, at + (to - at) * by); }
  function tell(row, i) {
    selected = { row, i };
    const { lane } = row, [, text, line] = data.labels[lane.label[i]];
    told.replaceChildren(make("b", {}, `core ${data.cores[row.number].core} ${lane.thread}: `), text,
      `, ${grouped(lane.from[i])} to ${grouped(lane.to[i])} (${grouped(lane.to[i] - lane.from[i])} cycles) `, make("code", {}, line));
    draw();
  }
  const under = (event) => {
    const box = canvas.getBoundingClientRect(), y = event.clientY - box.top, at = cycle(event.clientX - box.left);
    const row = rows.find((r) => r.lane && y >= r.y && y < r.y + ROW);
    if (!row || at < 0) return null;
    const i = first(row.lane, at);
    return i < row.lane.from.length && row.lane.from[i] <= at ? { row, i } : null;
  };
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => { drag = { x: event.clientX, from, to }; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointerup", () => { drag = null; });
  canvas.addEventListener("pointermove", (event) => {
    if (drag) {
      const by = (drag.x - event.clientX) * (drag.to - drag.from) / (width() - LEFT - 6);
      return view(drag.from + by, drag.to + by);
    }
    const found = under(event);
    if (found) tell(found.row, found.i);
  });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.shiftKey && document.activeElement !== canvas) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, cycle(event.clientX - canvas.getBoundingClientRect().left));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    // A thread of which nothing was kept has no piece to choose.
    const lanes = rows.filter((row) => row.lane && row.lane.from.length);
    if (selected && !lanes.includes(selected.row)) selected = null;
    const span = to - from;
    const move = (by) => {
      const row = selected ? selected.row : lanes[0];
      if (!row) return;
      const i = selected ? selected.i + by : first(row.lane, from);
      if (i < 0 || i >= row.lane.from.length) return;
      if (row.lane.from[i] < from || row.lane.to[i] > to) view(row.lane.from[i] - span / 4, row.lane.from[i] + 3 * span / 4);
      tell(row, i);
    };
    const change = (by) => {
      const at = selected ? selected.row.lane.from[selected.i] : from;
      const row = lanes[Math.min(lanes.length - 1, Math.max(0, lanes.indexOf(selected ? selected.row : lanes[0]) + by))];
      if (row) tell(row, Math.min(first(row.lane, at), row.lane.from.length - 1));
    };
    const keys = {
      "+": () => zoom(0.5, (from + to) / 2), "=": () => zoom(0.5, (from + to) / 2), "-": () => zoom(2, (from + to) / 2),
      ArrowLeft: () => view(from - span / 5, to - span / 5), ArrowRight: () => view(from + span / 5, to + span / 5),
      ArrowUp: () => change(-1), ArrowDown: () => change(1), Home: () => view(0, end), n: () => move(1), p: () => move(-1),
    };
    const act = keys[event.key];
    if (act && !event.metaKey && !event.altKey && !event.ctrlKey) { event.preventDefault(); act(); }
  });
  select.addEventListener("change", () => {
    shownCores = select.value === "shown" ? data.shown : select.value === "all" ? data.cores.map((_, i) => i) : [Number(select.value)];
    selected = null;
    layout();
  });
  new ResizeObserver(draw).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  layout();
})();

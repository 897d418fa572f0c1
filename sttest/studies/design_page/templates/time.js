// What happened when: a lane per row of the tree, and a strip per FIFO, over the same stretch of time.
(() => {
  const { data, processes, fifos, draw, count, cut, state } = Design;
  const lanes = document.getElementById("lanes"), strips = document.getElementById("strips");
  const ROW = 18, LANE = 12, TOP = 26, STRIP = 34, STRIP_STEP = 44, TOP_FIFOS = 12, BINS = 300, FIRST = 4;
  if (!lanes) return;

  function frame(container, height) {
    const width = Math.max(container.clientWidth, 280), gutter = Math.round(Math.min(Math.max(width * 0.24, 104), 270));
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, height });
    const plot = width - gutter - 14;
    const x = (cycle) => gutter + plot * (cycle - state.from) / (state.to - state.from);
    for (const [cycle, label] of ticks(width < 600 ? 3 : 7)) {
      svg.append(draw("path", { class: "grid", d: `M${x(cycle).toFixed(1)} 18V${height}` }),
        draw("text", { class: "tick", x: x(cycle).toFixed(1), y: 12, "text-anchor": "middle" }, label));
    }
    return { svg, width, gutter, plot, x };
  }
  function ticks(most) {
    const from = Design.micros(state.from), to = Design.micros(state.to);
    let step = 10 ** Math.floor(Math.log10((to - from) / most));
    step *= [1, 2, 5, 10].find((factor) => (to - from) / (step * factor) <= most);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), found = [];
    for (let at = Math.ceil(from / step); at * step <= to + 1e-12; at++) found.push([at * step * data.clock_mhz, (at * step).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })]);
    if (found.length) found[0][1] += " µs";
    return found;
  }
  function* slices(number) {
    const packed = processes.slices[number];
    let at = packed[0];
    for (let place = 1; place < packed.length; place += 2) {
      yield [packed[place], at, at + packed[place + 1]];
      at += packed[place + 1];
    }
  }
  const box = (x0, x1, y, height) => `M${x0.toFixed(1)} ${y}h${Math.max(x1 - x0, 0.4).toFixed(1)}v${height}h-${Math.max(x1 - x0, 0.4).toFixed(1)}z`;

  function processLane(number, y, view) {
    const paths = ["", "", "", "", ""];
    for (const [kind, start, end] of slices(number)) {
      if (end <= state.from || start >= state.to) continue;
      paths[kind] += box(view.x(Math.max(start, state.from)), view.x(Math.min(end, state.to)), y, LANE);
    }
    return paths.map((d, kind) => d && draw("path", { d, fill: colourOf(kind) })).filter(Boolean);
  }
  const colourOf = (kind) => ["var(--busy)", "var(--data)", "var(--space)", "var(--memory)", "var(--first)"][kind];
  // Of a group, the share of its processes by what they do, in windows.
  function groupLane(entry, y, view) {
    const bins = Math.min(BINS, Math.floor(view.plot / 2)), width = (state.to - state.from) / bins;
    const sums = [0, 1, 2, 3, 4].map(() => new Float64Array(bins));
    for (const number of entry.members) {
      for (const [kind, start, end] of slices(number)) {
        const low = Math.max(start, state.from), high = Math.min(end, state.to);
        for (let bin = Math.floor((low - state.from) / width); bin < bins && low < high; bin++) {
          const from = state.from + bin * width;
          if (from >= high) break;
          sums[kind][bin] += Math.max(Math.min(high, from + width) - Math.max(low, from), 0);
        }
      }
    }
    const paths = ["", "", "", "", ""], whole = width * entry.members.length;
    for (let bin = 0; bin < bins; bin++) {
      let base = y + LANE;
      for (const kind of [0, 3, 2, 1, FIRST]) {
        const height = LANE * sums[kind][bin] / whole;
        if (height < 0.05) continue;
        base -= height;
        paths[kind] += `M${view.x(state.from + bin * width).toFixed(1)} ${base.toFixed(2)}h${(view.plot / bins + 0.15).toFixed(2)}v${height.toFixed(2)}h-${(view.plot / bins + 0.15).toFixed(2)}z`;
      }
    }
    return paths.map((d, kind) => d && draw("path", { d, fill: colourOf(kind) })).filter(Boolean);
  }

  function drawLanes() {
    const rows = Design.rows(), view = frame(lanes, TOP + ROW * rows.length + 4);
    const placeOf = new Map();
    rows.forEach(({ entry, level }, place) => {
      const y = TOP + ROW * place, isGroup = typeof entry !== "number", isOpen = isGroup && Design.open.has(entry.id);
      const line = draw("g", { "data-row": Design.key(entry) });
      if (state.chosen && state.chosen.kind === "entry" && state.chosen.which === entry) line.append(draw("rect", { class: "chosen-row", x: 0, y: y - 3, width: view.width, height: ROW }));
      const mark = isGroup ? (isOpen ? "▾ " : "▸ ") : "", indent = 8 * Math.min(level, 4);
      const name = draw("text", { class: "lane-name", x: indent, y: y + 10 }, cut(mark + Design.label(entry), Math.floor((view.gutter - indent - 6) / 6.7)));
      name.append(draw("title", {}, isGroup ? `${entry.about}\n${count(entry.members.length)} processes` : processes.name[entry]));
      name.addEventListener("click", () => (isGroup ? Design.setOpen(entry, !isOpen) : Design.choose("entry", entry)));
      line.append(name, ...(isGroup ? (isOpen ? [] : groupLane(entry, y, view)) : processLane(entry, y, view)));
      view.svg.append(line);
      if (!isOpen) for (const number of Design.members(entry)) placeOf.set(number, y);
    });
    let path = "";
    for (const [number, start, end] of data.segments) {
      if (end > state.from && start < state.to && placeOf.has(number)) path += box(view.x(Math.max(start, state.from)), view.x(Math.min(end, state.to)), placeOf.get(number) + LANE - 2.5, 2.5);
    }
    if (path) view.svg.append(draw("path", { class: "on-path", d: path }));
    lanes.replaceChildren(view.svg);
    brush(view);
    document.getElementById("range").textContent = `cycles ${count(Math.round(state.from))} to ${count(Math.round(state.to))} of ${count(data.end)}, ${Design.time(state.to - state.from)}`;
    document.getElementById("time-out").hidden = state.from === 0 && state.to === data.end;
  }
  function brush(view) {
    let begin = null, mark = null;
    const cycleAt = (event) => {
      const place = view.svg.getBoundingClientRect();
      const at = ((event.clientX - place.left) * view.width / place.width - view.gutter) / view.plot;
      return state.from + Math.min(Math.max(at, 0), 1) * (state.to - state.from);
    };
    view.svg.addEventListener("pointerdown", (event) => {
      if (event.target.closest(".lane-name")) return;
      begin = cycleAt(event);
      mark = draw("rect", { class: "brush", y: 18, height: view.svg.viewBox.baseVal.height - 18, width: 0 });
      view.svg.append(mark);
      view.svg.setPointerCapture(event.pointerId);
    });
    view.svg.addEventListener("pointermove", (event) => {
      if (begin === null) return;
      const [low, high] = [begin, cycleAt(event)].sort((a, b) => a - b);
      mark.setAttribute("x", view.x(low));
      mark.setAttribute("width", view.x(high) - view.x(low));
    });
    const end = (event) => {
      if (begin === null) return;
      const [low, high] = [begin, cycleAt(event)].sort((a, b) => a - b);
      begin = null;
      mark.remove();
      if (event.type === "pointerup" && high - low >= Math.max(2, (state.to - state.from) / 200)) Design.setRange(low, high);
    };
    view.svg.addEventListener("pointerup", end);
    view.svg.addEventListener("pointercancel", end);
  }

  function drawStrips() {
    if (!strips) return;
    const [[window_], ...curves] = data.curves;
    const asked = state.chosen && state.chosen.kind === "edge" ? state.chosen.which.fifos.filter((number) => number < curves.length).slice(0, TOP_FIFOS) : [];
    const shown = [...new Set([...asked, ...Array.from({ length: Math.min(TOP_FIFOS, curves.length) }, (_, place) => place)])];
    const view = frame(strips, TOP + STRIP_STEP * shown.length);
    shown.forEach((number, place) => {
      const y = TOP + STRIP_STEP * place, held = fifos.held[number], depth = fifos.depth[number] === null ? Infinity : fifos.depth[number], of = Design.depth(number);
      const most = Math.max(held || 0, depth <= 1.5 * held ? depth : 0, 1), base = y + STRIP;
      const tall = (tokens) => (base - STRIP * tokens / most).toFixed(1);
      const line = draw("g", { "data-fifo": fifos.name[number] });
      line.append(draw("title", {}, `${fifos.name[number]}\nheld at most ${count(held)} tokens of ${count(fifos.bits[number])} bits, depth ${of}`));
      if (asked.includes(number)) line.append(draw("rect", { class: "chosen-row", x: 0, y: y - 4, width: view.gutter, height: STRIP + 8 }));
      line.append(draw("rect", { class: "strip-back", x: view.gutter, y, width: view.plot, height: STRIP }));
      const points = curves[number], corners = [];
      for (let at = 0; at < points.length; at += 2) {
        const start = points[at] * window_, end = at + 2 < points.length ? points[at + 2] * window_ : data.end;
        if (end <= state.from || start >= state.to) continue;
        corners.push(`L${view.x(Math.max(start, state.from)).toFixed(1)} ${tall(points[at + 1])}H${view.x(Math.min(end, state.to)).toFixed(1)}`);
      }
      line.append(draw("path", { class: "held-area", d: `M${view.gutter} ${base}${corners.join("")}V${base}z` }));
      if (depth <= most) line.append(draw("path", { class: "depth-line", d: `M${view.gutter} ${tall(depth)}h${view.plot}` }));
      const room = Math.floor((view.gutter - 8) / 6.7);
      line.append(draw("text", { x: 0, y: y + 13 }, cut(fifos.name[number], room)),
        draw("text", { class: "tick", x: 0, y: y + 28 }, cut(`${count(held)}${depth === Infinity ? "" : ` of ${count(depth)}`}${view.gutter < 200 ? "" : ` × ${count(fifos.bits[number])} bits`}`, room + 4)));
      view.svg.append(line);
    });
    strips.replaceChildren(view.svg);
  }

  document.getElementById("time-out").addEventListener("click", () => Design.setRange(0, data.end));
  function redraw() { drawLanes(); drawStrips(); }
  Design.listen((what) => { if (what === "tree") drawLanes(); else redraw(); });
  redraw();
  let width = lanes.clientWidth;
  window.addEventListener("resize", () => { if (lanes.clientWidth !== width) { width = lanes.clientWidth; redraw(); } });
})();

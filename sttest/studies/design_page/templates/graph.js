// The dataflow graph: laid out in layers by dagre, moved and scaled by Panzoom.
(() => {
  const { data, processes, fifos, draw, element, count, percent, cut } = Design;
  const canvas = document.getElementById("canvas");
  const details = document.getElementById("details");
  const colour = document.getElementById("colour");
  const FULL = 0.05; // share of the run from which on a FIFO is drawn as full
  const HEIGHT = 44, ROOM = 24, CHAR = 6.7, SCALES = { least: 0.05, most: 6 };
  let panzoom = null, size = { width: 1, height: 1 }, drawn = null, corner = { x: 0, y: 0 }, first = true, tallest = 1200;

  // What a box is filled with, and what is said below its name.
  const SHADES = { data: [0, 114, 178], space: [230, 159, 0], memory: [163, 98, 155], critical: [40, 44, 48] };
  const WORDS = { data: "data", space: "space", memory: "memory" };
  function state(entry) {
    const parts = Design.shares(entry);
    if (colour.value === "critical") {
      const share = data.cycles ? Design.critical(entry) / data.cycles : 0;
      return { kind: "critical", share, text: share ? `${percent(share)} of the path` : "" };
    }
    if (!parts) return { kind: "data", share: 0, text: "" };
    const own = { data: parts.data + (colour.value === "all" ? parts.first : 0), space: parts.space, memory: parts.memory };
    const kind = Object.keys(own).reduce((best, each) => (own[each] > own[best] ? each : best), "data");
    if (data.deadlock && processes.finish[entry] === null) return { kind, share: own[kind], text: stands(entry) };
    if (own[kind] < 0.0005) return { kind, share: 0, text: `busy ${percent(parts.busy)}` };
    return { kind, share: own[kind], text: `${percent(own[kind])} waits for ${WORDS[kind]}` };
  }
  function stands(number) { // in a deadlock, for ever
    const wait = Design.waits.find((each) => each.process === number);
    return wait ? `waits to ${wait.to} ${cut(fifos.name[wait.fifo], 16)}` : "never finishes";
  }
  function subtitle(entry) {
    const own = state(entry);
    if (typeof entry === "number") return own.text;
    return `${count(entry.members.length)} processes${own.share ? `, ${percent(own.share)} ${WORDS[own.kind] || "of the path"}` : ""}`;
  }
  function fill({ kind, share }) { // at most two thirds of the colour, so that dark text stays legible on it
    const strength = share <= 0 ? 0 : 0.1 + 0.5 * Math.min(share, 1);
    return `rgb(${SHADES[kind].map((value) => Math.round(255 + (value - 255) * strength)).join(" ")})`;
  }

  function edges(entries) {
    const found = new Map();
    const seen = new Map(entries.map((entry) => [Design.key(entry), entry]));
    const keys = processes.name.map((_, number) => Design.key(Design.seenAs(number)));
    const edge = (source, target) => {
      const name = `${keys[source]}>${keys[target]}`;
      if (!found.has(name)) found.set(name, { name, from: keys[source], to: keys[target], fifos: [], count: 0, waits: [], full: 0 });
      return found.get(name);
    };
    fifos.name.forEach((_, number) => {
      const from = fifos.from[number], to = fifos.to[number];
      if (keys[from] === keys[to] && (from !== to || !seen.has(`p${from}`))) return;
      const made = edge(from, to);
      made.fifos.push(number);
      made.count += 1;
      if (data.end) made.full = Math.max(made.full, fifos.full[number] / data.end);
    });
    for (const [from, to, number] of data.bundles) if (keys[from] !== keys[to]) edge(from, to).count += number;
    Design.waits.forEach((wait, place) => {
      const name = `${keys[fifos.from[wait.fifo]]}>${keys[fifos.to[wait.fifo]]}`;
      if (found.has(name)) found.get(name).waits.push(place);
    });
    return [...found.values()];
  }

  function layout(entries, links, down) {
    const graph = new dagre.graphlib.Graph({ multigraph: true });
    graph.setGraph({ rankdir: down ? "TB" : "LR", nodesep: 18, ranksep: down ? 40 : 44, edgesep: 10, marginx: 14, marginy: 18,
      ranker: entries.length > 150 ? "longest-path" : "network-simplex" });
    graph.setDefaultEdgeLabel(() => ({}));
    for (const entry of entries) {
      const width = 18 + Math.max(90, CHAR * Math.min(Design.label(entry).length, ROOM), 6 * subtitle(entry).length);
      graph.setNode(Design.key(entry), { width, height: HEIGHT });
    }
    for (const link of links) {
      if (link.from === link.to) continue;
      const text = edgeText(link);
      graph.setEdge(link.from, link.to, { width: text ? 8 + 6.2 * text.length + 44 * Math.min(link.waits.length, 3) : 0, height: text ? 16 : 0, labelpos: "c" }, link.name);
    }
    dagre.layout(graph);
    return graph;
  }
  function edgeText(link) {
    if (link.waits.length === 1) {
      const wait = Design.waits[link.waits[0]];
      const fix = data.deadlock.fix.find(([fifo]) => fifo === wait.fifo);
      if (fix) return `full, depth ${count(wait.depth)}; make it ${count(fix[2])}`;
      return wait.to === "write" ? `full, depth ${count(wait.depth)}` : `holds ${count(wait.occupancy)}`;
    }
    return link.count > 1 ? `× ${count(link.count)}` : "";
  }

  function redraw() {
    const entries = Design.visible(), links = edges(entries);
    // From left to right where that is legible, else downwards, as the page scrolls.
    const scaled = (laid) => Math.min(canvas.clientWidth / laid.graph().width, 1.3);
    const many = entries.length > 150; // laid out once, for it takes its time
    let graph = layout(entries, links, many);
    tallest = canvas.clientWidth < 700 ? 560 : 1200;
    if (scaled(graph) < 0.8 && !many) {
      const other = layout(entries, links, true);
      if (scaled(other) > scaled(graph)) graph = other;
    }
    // Lines may bend further out than dagre says.
    const bends = graph.edges().flatMap((edge) => graph.edge(edge).points);
    const reach = (own, along) => bends.reduce((most, point) => Math.max(most, point[along] + 10), Math.max(own, 60));
    size = { width: reach(graph.graph().width, "x"), height: reach(graph.graph().height, "y") };
    const root = draw("svg", { width: size.width, height: size.height, viewBox: `0 0 ${size.width} ${size.height}` },
      draw("defs", {}, arrow("arrow", "#8b9096"), arrow("arrow-dead", "#c8420a")));
    drawn = { nodes: new Map(), edges: new Map() };
    for (const link of links) {
      const laid = link.from === link.to ? loop(graph.node(link.from)) : graph.edge({ v: link.from, w: link.to, name: link.name });
      root.append(edgeOf(link, laid));
    }
    for (const entry of entries) root.append(nodeOf(entry, graph.node(Design.key(entry))));
    const before = first ? { scale: start(), corner: { x: middle(), y: 0 } } : { scale: panzoom.getScale(), corner };
    if (panzoom) panzoom.destroy();
    canvas.replaceChildren(root);
    canvas.style.height = `${Math.round(Math.min(Math.max(size.height * start(), 110), tallest))}px`;
    panzoom = Panzoom(root, { canvas: true, minScale: SCALES.least, maxScale: SCALES.most, touchAction: "none", animate: false });
    root.addEventListener("panzoomchange", () => { corner = cornerNow(); });
    show(before.scale, { x: 0, y: 0 }, before.corner);
    first = false;
    place();
    chosen();
  }
  function loop({ x, y, width }) { // a process that reads what it wrote
    const right = x + width / 2, top = y - HEIGHT / 2;
    return { points: [[right - 34, top], [right - 38, top - 16], [right - 12, top - 16], [right - 16, top]].map(([x, y]) => ({ x, y })) };
  }
  // Whole if its text stays legible, else from its beginning.
  // Panzoom scales about the middle of the drawing: a point p is seen at m + scale * (p - m + pan).
  function show(scale, point, at) {
    const pan = (length, from, to) => (to - length / 2) / scale - from + length / 2;
    const [x, y] = [pan(size.width, point.x, at.x), pan(size.height, point.y, at.y)];
    panzoom.setOptions({ startX: x, startY: y }); // where a new one goes a moment after it was made
    panzoom.zoom(scale);
    panzoom.pan(x, y);
    corner = cornerNow();
  }
  function cornerNow() { // where the upper left corner of the drawing is seen
    const scale = panzoom.getScale(), pan = panzoom.getPan();
    const at = (length, moved) => length / 2 + scale * (moved - length / 2);
    return { x: at(size.width, pan.x), y: at(size.height, pan.y) };
  }
  function scaleBy(factor) {
    const box = canvas.getBoundingClientRect();
    panzoom.zoomToPoint(panzoom.getScale() * factor, { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 });
  }
  function fit() { return Math.min(canvas.clientWidth / size.width, tallest / size.height, 1.3); }
  function start() { return Math.max(fit(), canvas.clientWidth < 700 ? 0.6 : 0.7); } // smaller text is not legible
  function place() {
    const hint = document.getElementById("graph-hint");
    const sees = `${count(Design.visible().length)} boxes for ${count(data.counts.processes)} processes.`;
    hint.textContent = Design.groups.length ? `Dashed boxes are groups: a double click opens one. ${sees}` : "";
  }
  function arrow(id, stroke) {
    return draw("marker", { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto-start-reverse",
      markerUnits: "userSpaceOnUse" }, draw("path", { d: "M0 0L8 4L0 8z", fill: stroke }));
  }

  function edgeOf(link, laid) {
    const isDead = link.waits.length > 0;
    const made = draw("g", { class: `edge${isDead ? " dead" : link.full >= FULL ? " full" : ""}`, tabindex: -1 });
    const line = curve(laid.points);
    made.append(draw("title", {}, edgeTip(link)), draw("path", { class: "line", d: line, "marker-end": `url(#arrow${isDead ? "-dead" : ""})` }),
      draw("path", { class: "hit", d: line }));
    if (!isDead && link.full >= FULL) made.querySelector(".line").style.strokeWidth = 1.5 + 4 * link.full;
    const middle = laid.points[Math.floor(laid.points.length / 2)];
    const at = laid.x === undefined ? middle : laid, text = edgeText(link);
    if (text) made.append(draw("text", { x: at.x, y: at.y + 4, "text-anchor": "middle" }, text));
    link.waits.forEach((wait, place) => made.append(badge(at.x - 13 - 3.1 * text.length - 20 * place, at.y, wait + 1)));
    made.addEventListener("click", () => Design.choose("edge", link));
    drawn.edges.set(link.name, made);
    return made;
  }
  function badge(x, y, number) {
    return draw("g", { class: "badge" }, draw("circle", { cx: x, cy: y, r: 9 }),
      draw("text", { x, y: y + 4, "text-anchor": "middle" }, String(number)));
  }
  function edgeTip(link) {
    const lines = link.waits.map((wait) => `wait ${wait + 1} of the deadlock`);
    if (link.fifos.length === 1 && link.count === 1) return [fifoLine(link.fifos[0]), ...lines].join("\n");
    return [`${count(link.count)} FIFOs${link.full >= FULL ? `, one of them full for ${percent(link.full)} of the run` : ""}`, ...link.fifos.slice(0, 8).map(fifoLine), ...lines].join("\n");
  }
  function fifoLine(number) {
    const held = fifos.held[number] === null ? "" : `, held at most ${count(fifos.held[number])}, full for ${percent(fifos.full[number] / data.end)} of the run`;
    return `${fifos.name[number]}: depth ${Design.depth(number)} of ${count(fifos.bits[number])} bits${held}`;
  }
  function curve(points) {
    let path = `M${points[0].x.toFixed(1)} ${points[0].y.toFixed(1)}`;
    for (let place = 1; place < points.length - 1; place++) {
      const here = points[place], next = points[place + 1];
      const [x, y] = place === points.length - 2 ? [next.x, next.y] : [(here.x + next.x) / 2, (here.y + next.y) / 2];
      path += `Q${here.x.toFixed(1)} ${here.y.toFixed(1)} ${x.toFixed(1)} ${y.toFixed(1)}`;
    }
    if (points.length === 2) path += `L${points[1].x.toFixed(1)} ${points[1].y.toFixed(1)}`;
    return path;
  }

  function nodeOf(entry, { x, y, width }) {
    const isGroup = typeof entry !== "number", left = x - width / 2, top = y - HEIGHT / 2;
    const isDead = Design.members(entry).some((number) => Design.dead.has(number));
    const classes = ["node", isGroup && "group", isDead && "dead", Design.critical(entry) > 0 && colour.value !== "critical" && "critical"];
    const made = draw("g", { class: classes.filter(Boolean).join(" "), tabindex: 0, role: "button", "data-key": Design.key(entry) });
    const own = state(entry), parts = Design.shares(entry);
    made.append(draw("title", {}, tip(entry, parts)),
      draw("rect", { class: "box", x: left, y: top, width, height: HEIGHT, rx: 5, fill: fill(own) }),
      draw("text", { x: left + 8, y: top + 16 }, cut(Design.label(entry), ROOM)),
      draw("text", { class: "small", x: left + 8, y: top + 30 }, subtitle(entry)));
    if (parts) made.append(strip(parts, left + 5, top + HEIGHT - 9, width - 10));
    made.addEventListener("click", () => Design.choose("entry", entry));
    made.addEventListener("dblclick", () => isGroup && Design.setOpen(entry, true));
    made.addEventListener("keydown", (event) => { if (event.key === "Enter") isGroup ? Design.setOpen(entry, true) : Design.choose("entry", entry); });
    drawn.nodes.set(Design.key(entry), made);
    return made;
  }
  function strip(parts, x, y, width) {
    const made = draw("g", {}, draw("rect", { x, y, width, height: 5, fill: "var(--idle)", stroke: "#0002" }));
    let at = x;
    for (const kind of ["busy", "first", "data", "space", "memory"]) {
      made.append(draw("rect", { x: at.toFixed(1), y, width: (parts[kind] * width).toFixed(1), height: 5, fill: `var(--${kind})` }));
      at += parts[kind] * width;
    }
    return made;
  }
  function tip(entry, parts) {
    const lines = [typeof entry === "number" ? processes.name[entry] : entry.about];
    if (typeof entry === "number") lines.push([processes.kind[entry], processes.category[entry], processes.origin[entry]].filter(Boolean).join(", "));
    if (parts) lines.push(`busy ${percent(parts.busy)}, first wait ${percent(parts.first)}, waits for data ${percent(parts.data)}, for space ${percent(parts.space)}, for memory ${percent(parts.memory)} of the run`);
    return lines.join("\n");
  }

  // --- What is chosen
  function chosen() {
    const now = Design.state.chosen;
    for (const made of [...drawn.nodes.values(), ...drawn.edges.values()]) made.classList.remove("chosen");
    if (!now) return;
    const made = now.kind === "entry" ? drawn.nodes.get(Design.key(now.which)) : drawn.edges.get(now.which.name);
    if (made) made.classList.add("chosen");
    details.replaceChildren(...(now.kind === "entry" ? aboutEntry(now.which) : aboutFifos(now.which.fifos, now.which.count)));
  }
  function list(pairs) {
    const made = element("dl");
    for (const [name, value] of pairs) if (value) made.append(element("dt", name), element("dd", value));
    return made;
  }
  function aboutEntry(entry) {
    if (typeof entry !== "number") {
      const made = element("button", Design.open.has(entry.id) ? "close this group" : "open this group", { type: "button" });
      made.addEventListener("click", () => Design.setOpen(entry, !Design.open.has(entry.id)));
      return [element("h3", entry.about), list([["processes", count(entry.members.length)], ["critical path", path(entry)]]), made];
    }
    const cycles = (column) => (processes[column][entry] === null ? "" : `${count(processes[column][entry])} cycles, ${percent(processes[column][entry] / data.end)} of the run`);
    const above = Design.groups.filter((group) => Design.open.has(group.id) && group.entries.includes(entry));
    const closing = above.map((group) => {
      const made = element("button", `close the group ${group.label}`, { type: "button" });
      made.addEventListener("click", () => Design.setOpen(group, false));
      return made;
    });
    const inputs = [], outputs = [];
    fifos.name.forEach((_, number) => {
      if (fifos.to[number] === entry) inputs.push(number);
      if (fifos.from[number] === entry) outputs.push(number);
    });
    return [element("h3", processes.name[entry]), list([
      ["kind", [processes.kind[entry], processes.category[entry]].filter(Boolean).join(", ")], ["from", processes.origin[entry]],
      ["busy", cycles("busy")], ["waits for data", cycles("stall_in")], ["of that, for its first token", cycles("first")],
      ["waits for space", cycles("stall_out")], ["waits for memory", cycles("memory")], ["critical path", path(entry)],
      ["finishes", processes.finish[entry] === null ? (data.end ? "never" : "") : `at cycle ${count(processes.finish[entry])}`],
    ]), ...fifoList("reads", inputs), ...fifoList("writes", outputs), ...closing];
  }
  function path(entry) {
    const cycles = Design.critical(entry);
    return cycles ? `${count(cycles)} cycles, ${percent(cycles / data.cycles)} of the run` : "";
  }
  function fifoList(verb, numbers) {
    if (!numbers.length) return [];
    const made = element("ul");
    for (const number of numbers.slice(0, 12)) {
      const item = element("li"), button = element("button", fifoLine(number), { type: "button" });
      button.addEventListener("click", () => Design.choose("edge", { name: "", fifos: [number], count: 1 }));
      item.append(button);
      made.append(item);
    }
    if (numbers.length > 12) made.append(element("li", `and ${count(numbers.length - 12)} more`));
    return [element("div", `${verb} ${count(numbers.length)} FIFO${numbers.length > 1 ? "s" : ""}`), made];
  }
  function aboutFifos(numbers, whole) {
    if (numbers.length === 1 && whole === 1) {
      const number = numbers[0], bits = fifos.depth[number] * fifos.bits[number];
      const size = fifos.depth[number] === null ? "" : `, ${bits < 8192 ? `${count(bits)} bits` : `${(bits / 8192).toLocaleString("en-US", { maximumFractionDigits: 1 })} KiB`} in all, in ${fifos.kind[number] === "srl" ? "shift registers" : "block memory"}`;
      return [element("h3", fifos.name[number]), list([
        ["from", processes.name[fifos.from[number]]], ["to", processes.name[fifos.to[number]]],
        ["depth", `${Design.depth(number)} of ${count(fifos.bits[number])} bits${size}`],
        ["held at most", fifos.held[number] === null ? "" : `${count(fifos.held[number])} tokens`],
        ["full for", fifos.full[number] === null ? "" : `${count(fifos.full[number])} cycles, ${percent(fifos.full[number] / data.end)} of the run`],
        ["at the start", fifos.initial[number] ? `${count(fifos.initial[number])} tokens` : ""]])];
    }
    return [element("h3", `${count(whole)} FIFOs`), ...fifoList("of which are named:", numbers)];
  }

  // --- Controls
  function legend() {
    const items = !hasShares ? [] : colour.value === "critical" ? [["rgb(126 129 131)", "on the critical path"]]
      : [["var(--data)", "waits for data"], ["var(--space)", "waits for space"], ["var(--memory)", "waits for memory"]];
    if (hasShares) items.push(["var(--busy)", "busy (strip)"], ["var(--first)", "waits for its first token (strip)"], ["var(--idle)", "before its start, after its end (strip)"]);
    const made = items.map(([fill, text]) => { const item = element("li"), mark = element("i"); mark.style.background = fill; item.append(mark, text); return item; });
    for (const [stroke, text] of [["#c98500", "FIFO that is full for 5 % of the run or more, the wider the longer"], ...(Design.dead.size ? [["#c8420a", "wait of the deadlock, numbered as above"]] : [])]) {
      const item = element("li"), mark = element("i", "", { class: "line" });
      mark.style.color = stroke; mark.style.width = "1.6em"; item.append(mark, text); made.push(item);
    }
    document.getElementById("legend").replaceChildren(...made);
  }
  function middle(scale = start()) { return Math.max((canvas.clientWidth - size.width * scale) / 2, 0); }
  function toWhole() {
    const scale = Math.min(fit(), canvas.clientHeight / size.height, canvas.clientWidth / size.width);
    show(scale, { x: 0, y: 0 }, { x: middle(scale), y: 0 });
  }
  function goTo(key) {
    const made = drawn.nodes.get(key);
    if (!made) return;
    const box = made.getBBox(), scale = Math.max(panzoom.getScale(), 0.9);
    show(scale, { x: box.x + box.width / 2, y: box.y + box.height / 2 }, { x: canvas.clientWidth / 2, y: canvas.clientHeight / 2 });
  }
  function find(text) {
    const number = processes.name.indexOf(text), fifo = fifos.name.indexOf(text);
    if (number < 0 && fifo < 0) return;
    const shown = number < 0 ? fifos.from[fifo] : number;
    for (let entry = Design.seenAs(shown); typeof entry !== "number"; entry = Design.seenAs(shown)) Design.setOpen(entry, true);
    if (number < 0) Design.choose("edge", { name: "", fifos: [fifo], count: 1 });
    else Design.choose("entry", number);
    goTo(`p${shown}`);
  }
  function suggest(text) {
    const names = [...processes.name, ...fifos.name].filter((name) => name.includes(text)).slice(0, 20);
    document.getElementById("names").replaceChildren(...names.map((name) => element("option", "", { value: name })));
  }
  const press = (id, action) => document.getElementById(id).addEventListener("click", action);
  press("zoom-in", () => scaleBy(1.4));
  press("zoom-out", () => scaleBy(1 / 1.4));
  press("zoom-fit", toWhole);
  press("open-all", () => Design.openAll());
  press("close-all", () => Design.closeAll());
  for (const id of ["open-all", "close-all"]) document.getElementById(id).hidden = !Design.groups.length;
  canvas.addEventListener("wheel", (event) => { if (event.ctrlKey || event.metaKey) panzoom.zoomWithWheel(event); }, { passive: false });
  colour.addEventListener("change", () => { legend(); redraw(); });
  document.getElementById("find").addEventListener("input", (event) => { suggest(event.target.value); find(event.target.value); });
  const hasShares = data.end > 0 && processes.busy.some((cycles) => cycles !== null);
  colour.parentElement.hidden = !hasShares;
  if (!data.critical_path) colour.querySelector('[value="critical"]').remove();
  legend();
  Design.listen((what) => { if (what === "tree") redraw(); if (what === "chosen") chosen(); });
  redraw();
  if (Design.dead.size) goTo(Design.key(Design.seenAs([...Design.dead][0])));
  document.body.dataset.drawn = "yes";
  let width = canvas.clientWidth;
  window.addEventListener("resize", () => { if (drawn && canvas.clientWidth !== width) { width = canvas.clientWidth; first = true; redraw(); } });
})();

// What happened when: a lane per row of the tree, and a strip per FIFO, over the same stretch of time.
const WIDE = 1000, STRIPS = 12, [[window_] = [], ...curves] = data.curves;
const x = d3.scaleLinear().range([0, WIDE]).clamp(true);
const rows = (entries = roots) => entries.flatMap((each) => [each, ...(each.open ? rows(each.entries) : [])]);
function band(host, label, title, high, paths) {
  const made = host.append("div").attr("class", "band").attr("title", title);
  const drawn = made.append("svg").attr("viewBox", [0, 0, WIDE, high]).attr("preserveAspectRatio", "none");
  for (const [kind, d] of Object.entries(paths)) shape(drawn, "path", { class: kind, d });
  return made.insert("button", "svg").text(label);
}
function bar(path, from, to, y, high) {
  if (x(to) > x(from)) path.rect(x(from), y, x(to) - x(from), high);
}
function lane(host, entry) { // the processes of a closed group share its lane, one below the other
  const paths = Object.fromEntries([...PARTS, "on-path"].map((kind) => [kind, d3.pathRound(2)]));
  const places = new Map(entry.open ? [] : entry.members.map((number, place) => [number, place])), high = places.size;
  for (const [number, place] of places) {
    let [at, ...packed] = processes.slices[number];
    for (let i = 0; i < packed.length; i += 2) bar(paths[PARTS[packed[i]]], at, (at += packed[i + 1]), place, 1);
  }
  for (const [number, from, to] of data.segments)
    if (places.has(number)) bar(paths["on-path"], from, to, 0.8 * high, 0.2 * high);
  const mark = entry.entries ? (entry.open ? "▾ " : "▸ ") : "";
  band(host, `${mark}${entry.label}`, entry.about, high || 1, paths).style("--level", line(entry).length - 1)
    .classed("chosen", entry === state.entry)
    .on("click", () => (entry.entries ? setOpen([entry], !entry.open) : choose(entry)));
}
function strip(host, number) { // as high as what it held at most, or as its depth where that is little more
  const points = curves[number], depth = fifos.depth[number] ?? Infinity, held = d3.pathRound(2);
  const most = Math.max(fifos.held[number], depth <= 1.5 * fifos.held[number] ? depth : 1);
  for (let i = 0; i < points.length; i += 2)
    bar(held, points[i] * window_, (points[i + 2] ?? Infinity) * window_, most - points[i + 1], points[i + 1]);
  const bound = depth > most ? "" : `M0 ${most - depth}H${WIDE}`;
  band(host, fifos.text[number], fifos.name[number], most, { held, bound })
    .classed("chosen", state.numbers.includes(number)).on("click", () => go("fifos", number));
}
function clock(host) { // an axis of time, and a brush that looks at a stretch of it closely
  const drawn = host.append("svg").attr("class", "clock"), { clientWidth: width, clientHeight: height } = drawn.node();
  const us = d3.scaleLinear([state.from, state.to].map((cycle) => cycle / data.clock_mhz), [0, width]);
  const ticks = d3.axisTop(us).ticks(width / 110).tickSizeInner(20 - height);
  drawn.append("g").attr("transform", "translate(0 20)").call(ticks);
  drawn.append("g").call(d3.brushX().extent([[0, 20], [width, height]]).on("end", ({ selection }) =>
    selection && setRange(...selection.map((at) => Math.round(us.invert(at) * data.clock_mhz)))));
}
function setRange(from, to) {
  Object.assign(state, from >= 0 && from < to && to <= data.end ? { from, to } : { from: 0, to: data.end });
  redrawTime();
}
function redrawTime() {
  const lanes = d3.select("#lanes"), strips = d3.select("#strips"), [from, to] = d3.selectAll("#from, #to").nodes();
  const chosen = state.numbers.filter((number) => number < curves.length), first = d3.range(curves.length);
  const buttons = () => d3.selectAll(".bands button").nodes(), focused = buttons().indexOf(document.activeElement);
  x.domain([state.from, state.to]);
  [from.value, to.value] = [state.from, state.to];
  from.onchange = to.onchange = () => setRange(+from.value, +to.value);
  d3.selectAll(".bands > *").remove();
  for (const entry of rows()) lane(lanes, entry);
  for (const number of [...new Set([...chosen, ...first])].slice(0, STRIPS)) strip(strips, number);
  for (const host of [lanes, strips]) if (!host.empty()) clock(host);
  buttons()[focused]?.focus();
}
if (data.end) {
  d3.select("#whole").on("click", () => setRange(0, data.end));
  events.on("tree.time", redrawTime).on("chosen.time", redrawTime);
  addEventListener("resize", redrawTime);
  redrawTime();
}

// The dataflow graph: laid out by ELK, drawn with D3.  Its viewBox is the whole drawing, so that all of it is in sight.
const NAMED = 12, WRAPPED = 4, MANY = 60, LINE = 15; // edges that have names; boxes that wrap, that take long; px
const all = d3.range(fifos.name.length), svg = d3.select("#canvas svg"), drawing = svg.append("g"), elk = new ELK();
const pen = document.createElement("canvas").getContext("2d");
let scale = 1, drawnWide = 0, turn = 0; // pixels per unit, and of the frame; redraws asked for

function sized(lines, margin, height, weight = "normal") {
  pen.font = `${weight} 12px ${getComputedStyle(document.body).fontFamily}`;
  const width = margin + d3.max(lines, (text) => pen.measureText(text).width);
  return { lines, text: lines[0], width, height: height + LINE * lines.length };
}
function box(entry) {
  const made = { id: entry.id, entry, ...sized([entry.label, ...entry.text], 16, 8) };
  return !entry.open ? made : { ...made, children: entry.entries.map(box), layoutOptions: {
    "elk.nodeSize.constraints": "MINIMUM_SIZE", "elk.nodeSize.minimum": `(${made.width}, ${made.height})`,
    "elk.padding": `[top=${made.height},left=10,right=10,bottom=10]` } };
}
function edges() {
  const joins = waits.map((wait, n) =>
    ({ kind: `wait${n}`, from: wait.process, to: wait.peer, numbers: [wait.fifo], wait }));
  for (const n of all) joins.push({ kind: "fifo", from: fifos.from[n], to: fifos.to[n], numbers: [n], count: 1 });
  for (const [from, to, many] of data.bundles) joins.push({ kind: "fifo", from, to, numbers: [], count: many });
  const seen = joins.map((join) => ({ ...join, source: seenAs(join.from), target: seenAs(join.to) }))
    .filter(({ source, target, from, to }) => source !== target || (from === to && !source.entries));
  const merged = d3.groups(seen, ({ kind, source, target }) => `${kind} ${source.id} ${target.id}`);
  return merged.map(([id, same]) => {
    const [{ source, target, wait, numbers: [first] }] = same, many = d3.sum(same, (join) => join.count);
    const isTold = fifos.note[first] && innerWidth < 600; // by the wait
    const text = many > 1 ? `${count(many)} FIFOs` : isTold ? "" : fifos.text[first];
    const named = text && merged.length <= NAMED ? [sized([text], 6, 0)] : [];
    return { id, sources: [source.id], targets: [target.id], wait, numbers: same.flatMap((join) => join.numbers),
      labels: wait ? [sized(wait.lines, 12, 4, "bold")] : named,
      layoutOptions: { "elk.layered.priority.direction": wait ? 0 : 10 } }; // data rather points forwards
  });
}
const nodes = (within) => within.children.flatMap((each) => (each.children ? [each, ...nodes(each)] : [each]));
function isWhole(root) { // ELK may lose a long line, or the end of it, where it wraps
  const at = new Map(nodes(root).map((node) => [node.id, node]));
  const touches = (point, { x, y, width, height }) =>
    Math.abs(point.x - x - width / 2) < width / 2 + 2 && Math.abs(point.y - y - height / 2) < height / 2 + 2;
  return root.edges.every(({ sections, sources: [source], targets: [target] }) =>
    sections && touches(sections[0].startPoint, at.get(source)) && touches(sections.at(-1).endPoint, at.get(target)));
}
async function redraw(entry) { // by the layout that is largest in the frame: in one direction, or wrapped like a text
  const own = ++turn, { top, width: wide } = svg.node().getBoundingClientRect(), seen = visible().length;
  const tall = Math.max(0.6 * innerHeight, innerHeight - top - scrollY - 20);
  const layout = ([direction, wrapping]) => elk.layout({ id: "root", children: roots.map(box), edges: edges(),
    layoutOptions: { "elk.algorithm": "layered", "elk.hierarchyHandling": "INCLUDE_CHILDREN",
      "elk.direction": direction, "elk.layered.wrapping.strategy": wrapping, "elk.aspectRatio": wide / tall,
      "elk.layered.wrapping.cutting.strategy": "ARD", "elk.json.shapeCoords": "ROOT", "elk.json.edgeCoords": "ROOT",
      "elk.layered.spacing.nodeNodeBetweenLayers": 22, "elk.layered.spacing.edgeNodeBetweenLayers": 9,
      "elk.spacing.nodeNode": 14, "elk.spacing.edgeNode": 8 } });
  const [first, second] = wide > tall ? ["RIGHT", "DOWN"] : ["DOWN", "RIGHT"];
  const kinds = [[first, "OFF"], [second, "OFF"], [first, "MULTI_EDGE"]].filter(([direction, wrapping]) =>
    (direction === first || seen <= MANY) && (wrapping === "OFF" || seen > WRAPPED));
  const laid = (await Promise.all(kinds.map(layout))).filter((each, n) => !n || isWhole(each));
  if (own !== turn || !wide) return; // it has changed again meanwhile, or is not to be seen
  const scaleOf = (each) => Math.min(wide / each.width, tall / each.height, 1.1), root = d3.greatest(laid, scaleOf);
  [scale, drawnWide] = [scaleOf(root), wide];
  draw(root, wide / scale, groups.length ? tall / scale : Math.max(root.height, 100));
  if (entry) goTo(entry);
}
function draw(root, width, height) {
  const focused = document.activeElement.dataset.id, all = nodes(root);
  svg.attr("viewBox", [(root.width - width) / 2, (root.height - height) / 2, width, height]);
  svg.style("height", `${height * scale}px`).call(zoom.transform, d3.zoomIdentity);
  d3.select("#canvas").classed("tall", height * scale > 400); // the facts have room in it
  drawing.selectAll("*").remove();
  for (const node of all.filter((each) => each.children)) drawBox(node);
  for (const edge of root.edges) drawEdge(edge);
  for (const node of all.filter((each) => !each.children)) drawBox(node);
  mark();
  if (focused) drawing.select(`[data-id="${focused}"]`).node()?.focus();
}
function shape(within, name, values) {
  return Object.entries(values).reduce((made, [key, value]) => made.attr(key, value), within.append(name));
}
function texts(within, lines, x, y) {
  lines.forEach((text, place) => shape(within, "text", { x, y: y + LINE * place }).text(text));
}
function drawEdge(edge) {
  const { numbers, wait, sections, labels: [label] } = edge;
  const isFull = numbers.some((number) => fifos.full[number] > 0.05 * data.end);
  const kind = wait ? "wait" : isFull ? "full" : "free", made = shape(drawing, "g", { class: `edge ${kind}` });
  const points = sections.flatMap((part) => [part.startPoint, ...(part.bendPoints || []), part.endPoint]);
  const d = d3.line((point) => point.x, (point) => point.y)(points);
  made.datum(edge).on("click", () => choose(null, numbers));
  shape(made, "path", { class: "line", d, "marker-end": `url(#${kind})` });
  shape(made, "path", { class: "hit", d });
  made.append("title").text(numbers.slice(0, 12).map((number) => fifos.name[number]).join("\n"));
  if (!label) return;
  const { x, y, width, height, lines } = label;
  shape(made, "rect", { class: "label", x, y, width, height });
  texts(made, lines, x + width / 2, y + (height - LINE * lines.length) / 2 + 11);
}
function drawBox({ entry, lines, x, y, width, height }) {
  const made = shape(drawing, "g", { class: `node ${entry.marks}`, transform: `translate(${x} ${y})` });
  const toggle = () => entry.entries && setOpen([entry], !entry.open, entry);
  made.classed("group", entry.entries).classed("open", entry.open).datum({ entry, x, y, width, height });
  made.attr("tabindex", 0).attr("role", "button").attr("data-id", entry.id);
  made.on("click", () => choose(entry)).on("dblclick", toggle);
  made.on("focus", () => d3.zoomTransform(svg.node()).k > 1 && goTo(entry));
  made.on("keydown", ({ key }) => key === "Enter" && (entry.entries ? toggle() : choose(entry)));
  made.append("title").text([entry.about, ...entry.text].join("\n"));
  const back = shape(made, "rect", { class: "box", width, height });
  if (entry.wait) back.style("fill", `color-mix(in srgb, var(--${entry.wait}) ${10 + 45 * entry.share}%, var(--box))`);
  texts(made, lines, 8, 17);
}
function mark() { // what is chosen
  drawing.selectAll(".node").classed("chosen", (node) => node.entry === state.entry);
  drawing.selectAll(".edge").classed("chosen", (edge) => edge.numbers.some((number) => state.numbers.includes(number)));
}

const zoom = d3.zoom().scaleExtent([0.5, 40]).on("zoom", ({ transform }) => drawing.attr("transform", transform));
zoom.filter((event) => // one finger, and the wheel alone, scroll the page
  event.type === "wheel" ? event.ctrlKey || event.metaKey : event.touches ? event.touches.length > 1 : !event.button);
svg.call(zoom).on("dblclick.zoom", null);
function goTo(entry) { // however deep in groups, and as large as is legible
  const closed = line(entry?.parent).filter((each) => !each.open);
  if (closed.length) return setOpen(closed, true, entry);
  const { x, y, width, height } = drawing.selectAll(".node").data().find((each) => each.entry === entry);
  const view = svg.node().viewBox.baseVal, room = 0.9 * Math.min(view.width / width, view.height / height);
  const middle = d3.zoomIdentity.translate(view.x + view.width / 2, view.y + view.height / 2);
  const size = Math.min(room, 1 / scale), near = middle.scale(size).translate(-x - width / 2, -y - height / 2);
  svg.call(zoom.transform, size > 1 ? near : d3.zoomIdentity);
}
const STEPS = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
svg.on("keydown", (event) => {
  if (!STEPS[event.key]) return;
  event.preventDefault();
  svg.call(zoom.translateBy, ...STEPS[event.key]);
});
d3.selectAll("[data-zoom]").on("click", ({ target }) => svg.call(zoom.scaleBy, target.dataset.zoom));
d3.select("#fit").on("click", () => svg.call(zoom.transform, d3.zoomIdentity));
d3.selectAll("[data-open]").on("click", ({ target }) => setOpen(groups, target.dataset.open === "yes"));
events.on("tree.graph", redraw).on("chosen.graph", mark);
addEventListener("resize", () => svg.node().clientWidth !== drawnWide && redraw()); // phones change the height alone

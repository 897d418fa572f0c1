// Tables that sort and filter, and the facts of what is chosen, which are the cells of its row.
const FIRST_ROWS = 100, FIRST_ITEMS = 12, details = d3.select("#details");
const named = (numbers) => numbers.map((number) => processes.name[number]);
const bounded = (values) => values.map((value) => value ?? Infinity); // none where a FIFO is never full
const columns = { processes, fifos: { ...fifos, from: named(fifos.from), to: named(fifos.to),
  depth: bounded(fifos.depth), total: bounded(fifos.total) } };
const headsOf = (kind) => d3.selectAll(`#${kind} th`).nodes();
const cell = (kind, head, n) => columns[kind][head.dataset.key][n];
const shown = (value) => (typeof value === "string" ? value : count(value));
function go(kind, n) {
  choose(kind === "fifos" ? null : leaves[n], kind === "fifos" ? [n] : []);
  goTo(leaves[kind === "fifos" ? fifos.from[n] : n]);
  document.getElementById("graph").scrollIntoView();
}
function table(kind) {
  const host = d3.select(`#${kind}`), heads = headsOf(kind), numbers = d3.range(columns[kind].name.length);
  const input = host.select("input").on("input", fill), more = host.select(".more");
  let most = FIRST_ROWS;
  more.on("click", () => fill((most = Infinity)));
  host.selectAll("th button").on("click", ({ target: { parentNode: head } }) => {
    const isDown = head.ariaSort ? head.ariaSort === "ascending" : head.className === "n"; // the largest number first
    for (const each of heads) each.ariaSort = null;
    head.ariaSort = isDown ? "descending" : "ascending";
    const order = isDown ? d3.descending : d3.ascending, of = (n) => cell(kind, head, n);
    numbers.sort((a, b) => (of(a) === null) - (of(b) === null) || order(of(a), of(b))); // what is not known comes last
    fill();
  });
  function fill() {
    const asked = input.property("value").toLowerCase(), texts = heads.filter((head) => head.className !== "n");
    const rows = numbers.filter((n) => texts.some((head) => cell(kind, head, n)?.toLowerCase().includes(asked)));
    const lines = host.select("tbody").selectAll("tr").data(rows.slice(0, most)).join("tr").attr("tabindex", 0);
    lines.classed("dead", (n) => columns[kind].note[n]);
    lines.on("click keydown", ({ type, key }, n) => (type === "click" || key === "Enter") && go(kind, n));
    lines.selectAll("td").data((n) => heads.map((head) => [head, n])).join("td")
      .attr("class", ([head]) => head.className).text(([head, n]) => shown(cell(kind, head, n)));
    more.attr("hidden", rows.length > most ? null : "").text(`show all ${count(rows.length)}`);
  }
  fill();
}
function list(title, kind, numbers) {
  if (!numbers.length) return;
  details.append("h4").text(`${title} (${count(numbers.length)})`);
  const items = details.append("ul").selectAll("li").data(numbers.slice(0, FIRST_ITEMS)).join("li");
  items.append("button").text((n) => columns[kind].name[n]).on("click", (_, n) => go(kind, n));
  if (numbers.length > FIRST_ITEMS) details.append("p").text(`and ${count(numbers.length - FIRST_ITEMS)} more`);
}
function facts() {
  const { entry, numbers } = state, kind = entry ? "processes" : "fifos", chosen = entry ? entry.members : numbers;
  const isOne = chosen.length === 1 && !entry?.entries, [n] = chosen;
  details.selectAll("*").remove();
  details.append("button").attr("aria-label", "close").text("×").on("click", () => details.selectAll("*").remove());
  details.append("h3").text(isOne ? columns[kind].name[n] : entry ? entry.about : `${count(chosen.length)} FIFOs`);
  for (const each of line(entry).filter((one) => one.entries))
    details.append("button").text(`${each.open ? "close" : "open"} ${each.label}`)
      .on("click", () => setOpen([each], !each.open, each));
  if (!isOne) return list(kind === "fifos" ? "FIFOs" : kind, kind, chosen);
  const pairs = details.append("dl");
  for (const head of headsOf(kind).slice(1)) {
    pairs.append("dt").text(head.textContent);
    pairs.append("dd").text(shown(cell(kind, head, n)));
  }
  if (!entry) return list("its ends", "processes", [fifos.from[n], fifos.to[n]]);
  list("reads", "fifos", all.filter((fifo) => fifos.to[fifo] === n));
  list("writes", "fifos", all.filter((fifo) => fifos.from[fifo] === n));
}
table("fifos");
table("processes");
events.on("chosen.facts", facts).on("tree.facts", () => details.select("*").empty() || facts());

// What all drawings share: the design, its groups, what is chosen, and how numbers are written.
const data = JSON.parse(document.getElementById("data").textContent), { processes, fifos } = data;
const waits = data.deadlock ? data.deadlock.waits : [];
const PARTS = ["busy", "data", "space", "memory", "first"]; // of the time of a process, as its slices number them
const MOST_VISIBLE = 300, READABLE = 40, events = d3.dispatch("tree", "chosen");
const state = { entry: null, numbers: [], from: 0, to: data.end || 1 }; // chosen entry, or FIFOs; cycles that are seen

// Entries of the tree: {id, label, about, text, marks, wait, share, members, parent}, groups also entries and open.
const leaves = [], groups = [];
function wrap(entry, parent) {
  const id = entry.entries ? `g${groups.length}` : `p${entry.number}`;
  const made = { ...entry, id, members: [entry.number], parent };
  if (!entry.entries) return (leaves[entry.number] = made);
  groups.push(Object.assign(made, { open: false }));
  made.entries = entry.entries.map((each) => wrap(each, made));
  made.members = made.entries.flatMap((each) => each.members);
  return made;
}
const roots = data.tree.map((entry) => wrap(entry, null));
const line = (entry) => (entry ? [entry, ...line(entry.parent)] : []); // itself, and the groups that it is in
const visible = (entries = roots) => entries.flatMap((each) => (each.open ? visible(each.entries) : [each]));
const seenAs = (number) => line(leaves[number]).findLast((each) => each.open === false) || leaves[number];
for (const { process, peer } of waits)
  for (const each of [...line(leaves[process].parent), ...line(leaves[peer].parent)]) each.open = true;
if (visible().length > READABLE) for (const each of groups) each.open = false; // waits between groups are seen
function setOpen(changed, isOpen, entry = null) { // where too much would be seen, groups without the entry close again
  for (const each of changed) each.open = isOpen;
  for (const each of groups) if (visible().length > MOST_VISIBLE && !line(entry).includes(each)) each.open = false;
  events.call("tree", null, entry);
}
function choose(entry, numbers = []) {
  Object.assign(state, { entry, numbers });
  events.call("chosen");
}
const count = (value) => (value === null ? "–" : value === Infinity ? "no bound" : value.toLocaleString("en-US"));

"use strict";
// The design as the drawings take it: processes, FIFOs, the tree of groups and what of it is open, and what is chosen.
const Design = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { processes, fifos } = data;
  const MOST_VISIBLE = 300;
  const groups = []; // {id, label, about, entries, members, parent}; an entry is a process's number or a group
  const parentOf = new Array(processes.name.length).fill(null);

  function group(entry, parent) {
    const made = { id: groups.length, label: entry.label, about: entry.about, parent, members: [] };
    groups.push(made);
    made.entries = entry.entries.map((each) => wrap(each, made));
    made.members = made.entries.flatMap((each) => (typeof each === "number" ? [each] : each.members));
    return made;
  }
  function wrap(entry, parent) {
    if (typeof entry !== "number") return group(entry, parent);
    parentOf[entry] = parent;
    return entry;
  }
  const top = data.tree.map((entry) => wrap(entry, null));
  const open = new Set();
  const listeners = [];
  const waits = data.deadlock ? data.deadlock.waits : [];
  const dead = new Set(waits.flatMap((wait) => [wait.process, wait.peer]));
  const state = { chosen: null, from: 0, to: data.end || 1 };

  // Entries that are seen: groups that are closed, processes whose groups are all open.
  function visible(entries = top) {
    return entries.flatMap((entry) =>
      typeof entry === "number" || !open.has(entry.id) ? [entry] : visible(entry.entries));
  }
  // Rows of the schedule: an open group has a row of its own above its entries.
  function rows(entries = top, level = 0) {
    return entries.flatMap((entry) => {
      const own = [{ entry, level }];
      return typeof entry === "number" || !open.has(entry.id) ? own : [...own, ...rows(entry.entries, level + 1)];
    });
  }
  const key = (entry) => (typeof entry === "number" ? `p${entry}` : `g${entry.id}`);
  const members = (entry) => (typeof entry === "number" ? [entry] : entry.members);
  const label = (entry) => (typeof entry === "number" ? processes.name[entry] : entry.label);
  function seenAs(number) {
    let found = number;
    for (let above = parentOf[number]; above; above = above.parent) if (!open.has(above.id)) found = above;
    return found;
  }
  // Opens or closes; where too much would be seen, groups that hold nothing of it are closed again.
  function setOpen(entry, isOpen) {
    if (!isOpen) open.delete(entry.id);
    else {
      open.add(entry.id);
      const line = new Set();
      for (let above = entry; above; above = above.parent) line.add(above.id);
      for (const id of [...open]) if (visible().length > MOST_VISIBLE && !line.has(id)) open.delete(id);
    }
    changed("tree");
  }
  function openAll() {
    for (const each of groups) {
      open.add(each.id);
      if (visible().length > MOST_VISIBLE) open.delete(each.id);
    }
    changed("tree");
  }
  function closeAll() { open.clear(); changed("tree"); }
  function reveal(numbers) {
    for (const number of numbers) {
      for (let above = parentOf[number]; above; above = above.parent) open.add(above.id);
      if (visible().length > MOST_VISIBLE) { open.clear(); return; }
    }
  }
  if (dead.size) reveal(dead);
  function choose(kind, which) { state.chosen = kind === null ? null : { kind, which }; changed("chosen"); }
  function setRange(from, to) { state.from = from; state.to = to; changed("range"); }
  function changed(what) { for (const listener of listeners) listener(what); }

  // Cycles by what was done, as shares of the run: busy, first wait, data, space, memory; null for actors.
  function shares(entry) {
    const numbers = members(entry).filter((number) => processes.busy[number] !== null);
    if (!numbers.length || !data.end) return null;
    const sum = (column) => numbers.reduce((all, number) => all + processes[column][number], 0);
    const whole = numbers.length * data.end;
    const first = sum("first");
    return { busy: sum("busy") / whole, first: first / whole, data: (sum("stall_in") - first) / whole,
      space: sum("stall_out") / whole, memory: sum("memory") / whole };
  }
  const critical = (entry) => members(entry).reduce((all, number) => all + processes.critical[number], 0);

  const count = (number) => (number === null || number === undefined ? "–" : number.toLocaleString("en-US"));
  const depth = (number) => (fifos.depth[number] === null ? "no bound" : `${count(fifos.depth[number])} tokens`);
  const percent = (share) => share > 0 && share < 0.0005 ? "< 0.1 %" : `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`;
  const micros = (cycles) => cycles / data.clock_mhz;
  const time = (cycles) => `${micros(cycles).toLocaleString("en-US", { maximumSignificantDigits: 4 })} µs`;
  function cut(text, room) { // the middle of a name goes first, for its ends tell it from others
    if (text.length <= room) return text;
    const tail = Math.floor((room - 1) / 2);
    return `${text.slice(0, room - 1 - tail)}…${tail ? text.slice(-tail) : ""}`;
  }
  const SVG = "http://www.w3.org/2000/svg";
  function draw(name, attributes = {}, ...children) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }
  function element(name, text, attributes = {}) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text) made.textContent = text;
    return made;
  }
  return { data, processes, fifos, waits, dead, groups, open, state, visible, rows, key,
    members, label, seenAs, setOpen, openAll, closeAll, choose, setRange, shares, critical, count, depth, percent, time,
    micros, cut, draw, element, listen: (listener) => listeners.push(listener) };
})();

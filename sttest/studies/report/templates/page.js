(() => {
  "use strict";
  let ledger = null;  // read when it is first asked for
  const tip = document.getElementById("tip");
  const root = document.documentElement;

  // ---- provenance of a number ----
  const record = (number) => (ledger ??= JSON.parse(document.getElementById("ledger").textContent)) && Object.fromEntries(ledger.columns.map((name, at) => {
    const value = ledger.numbers[number][at];
    const isText = !["value", "reference", "error"].includes(name);
    return [name, isText ? ledger.texts[value] : value];
  }));
  const full = (value) => String(value).replace("-", "−");
  const percent = (ratio) => `${ratio < 0 ? "−" : "+"}${(100 * Math.abs(ratio)).toPrecision(3)} %`;

  const element = (tag, text, className) => {
    const made = document.createElement(tag);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  const describe = (number) => {
    const of = record(number);
    const head = element("p", "", "value");
    head.append(
      element("b", of.value === null ? "no value" : full(of.value)), ` ${of.value === null ? "" : of.unit} `,
      element("span", of.kind, `kind k-${of.kind}`),
    );
    const list = document.createElement("dl");
    const line = (name, text) => text && list.append(element("dt", name), element("dd", text));
    line("metric", of.metric);
    line("of", [of.model, of.board, of.phase, of.engine].filter(Boolean).join(" · "));
    if (of.reference !== null) line("reference", `${full(of.reference)} ${of.unit}`);
    if (of.error !== null) line("error", percent(of.error));
    line("source", of.source);
    line("note", of.note);
    const hash = ledger.hashes[of.origin];
    line("from", of.origin + (hash ? `, configuration ${hash}` : ""));
    return [head, list];
  };

  // ---- the tooltip: by pointer, by focus, by tap ----
  let shownFor = null;
  const target = (event) => event.target.closest?.("[data-n]");

  const show = (at) => {
    if (at === shownFor) return;
    hide();
    shownFor = at;
    tip.replaceChildren(...describe(Number(at.dataset.n)));
    tip.hidden = false;
    at.setAttribute("aria-describedby", "tip");
    place();
  };
  const place = () => {
    const box = shownFor.getBoundingClientRect(), own = tip.getBoundingClientRect();
    const left = Math.max(8, Math.min(box.left, innerWidth - own.width - 8));
    const below = box.bottom + 8 + own.height <= innerHeight;
    tip.style.left = `${left}px`;
    tip.style.top = `${below ? box.bottom + 8 : Math.max(8, box.top - own.height - 8)}px`;
  };
  const hide = () => {
    shownFor?.removeAttribute("aria-describedby");
    shownFor = null;
    tip.hidden = true;
  };

  document.addEventListener("pointerover", (event) => {
    const at = target(event);
    if (at) show(at);
    else if (shownFor && shownFor !== document.activeElement && !tip.contains(event.target)) hide();
  });
  document.addEventListener("focusin", (event) => (target(event) ? show(target(event)) : hide()));
  document.addEventListener("click", (event) => {
    const at = target(event);
    if (at) show(at);
    else hide();
  });
  addEventListener("scroll", () => {
    if (shownFor) (shownFor === document.activeElement ? place : hide)();
  }, { passive: true, capture: true });

  // ---- walking through a table: one tab stop each, then arrow keys ----
  for (const table of document.querySelectorAll("table[role=grid]")) {
    table.querySelector("td.n")?.setAttribute("tabindex", "0");
  }
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
    const cell = event.target.closest?.("td.n");
    if (!cell || !step[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    const [down, right] = step[event.key];
    let row = cell.parentElement, column = cell.cellIndex;
    for (;;) {
      if (down) {
        do row = down > 0 ? row.nextElementSibling : row.previousElementSibling; while (row?.hidden);
      }
      column += right;
      const next = row?.cells[column];
      if (!next) return;
      if (next.matches("td.n")) {
        event.preventDefault();
        cell.tabIndex = -1;
        next.tabIndex = 0;
        next.scrollIntoView({ block: "nearest", inline: "nearest" });
        next.focus({ preventScroll: true });
        return;
      }
    }
  });

  // ---- filter: lines that hold all of the words, in parts that open for them ----
  const filter = document.getElementById("filter");
  const found = document.getElementById("found");
  const folds = [...document.querySelectorAll("details")];
  const parts = [...document.querySelectorAll("[data-filter]")];
  let tables = null;
  const read = () => [...document.querySelectorAll("[data-filter] figure.table")].map((figure) => {
    const part = figure.closest("[data-filter]");
    const about = [part.querySelector("h2, summary"), figure.querySelector("figcaption"), figure.querySelector("thead")]
      .map((each) => each.textContent).join(" ").toLowerCase();
    return { figure, about, rows: [...figure.querySelectorAll("tbody tr")].map((row) => [row, row.textContent.toLowerCase()]) };
  });
  const apply = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let lines = 0, shown = 0;
    tables ??= read();
    for (const { figure, about, rows } of tables) {
      let here = 0;
      for (const [row, text] of rows) {
        row.hidden = !words.every((word) => text.includes(word) || about.includes(word));
        here += !row.hidden;
      }
      figure.hidden = here === 0;
      lines += here;
      shown += here > 0;
    }
    for (const part of parts) part.hidden = words.length > 0 && !part.querySelector("figure.table:not([hidden])");
    for (const fold of folds) fold.open = words.length > 0 && !fold.hidden && shown <= 60;
    root.classList.toggle("filtering", words.length > 0);
    found.textContent = words.length ? `${lines} lines in ${shown} tables` : "";
  };
  let waiting = 0;
  filter.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(apply, 200);
  });

  // ---- a link into a folded part opens it ----
  const reveal = () => {
    const at = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let fold = at?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    at?.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();

  // ---- on a narrow screen a line is a card, and each number needs the head of its column ----
  const narrow = matchMedia("(max-width: 60rem)");
  const label = () => {
    if (!narrow.matches) return;
    for (const table of document.querySelectorAll("main > section > figure > table, details[open] table")) {
      if (!table.tHead || table.dataset.labeled) continue;
      table.dataset.labeled = "yes";
      const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent.trim());
      for (const row of table.tBodies[0].rows) {
        for (const cell of row.cells) cell.dataset.head = heads[cell.cellIndex];
      }
    }
  };
  document.addEventListener("toggle", label, true);
  narrow.addEventListener("change", label);
  label();
})();

"use strict";
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  document.documentElement.classList.add("js");
  const work = $("#work");
  if (!work) return;

  const BAR = 84;  // pixels of the filters above the cards
  const stacked = () => getComputedStyle(work).display === "block";

  // --- which lines of the two texts belong together

  const partners = new Map();
  const join = (a, b) => partners.has(a) ? partners.get(a).push(b) : partners.set(a, [b]);
  let source = null;
  for (const row of all("[data-pane=ptx] li")) {
    const last = row.lastElementChild;
    if (last && last.tagName === "S") source = null;
    else if (last && last.tagName === "A" && !last.className)
      source = document.getElementById(last.hash.slice(1));
    if (/^}/.test(row.textContent)) source = null;
    if (source && row.textContent.trim().endsWith(";") | Boolean(last)) {
      join(row, source);
      join(source, row);
    }
  }

  const reveal = (row) => {
    const pane = row.closest(".text");
    if (stacked()) return;
    const box = row.getBoundingClientRect(), frame = pane.getBoundingClientRect();
    if (box.top < frame.top + 20 || box.bottom > frame.bottom - 20)
      pane.scrollTop += box.top - frame.top - frame.height / 3;
  };

  let current = null;
  const select = (row, follow = true) => {
    for (const old of all("li.on")) old.classList.remove("on", "cursor");
    current = row;
    row.classList.add("on", "cursor");
    reveal(row);
    const others = partners.get(row) || [];
    for (const other of others) other.classList.add("on");
    if (follow && others.length) reveal(others[0]);
    if (row.closest("[data-pane=ptx]")) facts(row);
  };

  // --- what is known of registers

  const known = new Map();
  const table = (line) => {
    const kernel = all(".registers").find((k) => k.dataset.first <= line && line <= +k.dataset.last);
    if (!kernel) return new Map();
    if (!known.has(kernel)) {
      const rows = new Map();
      const put = (name, cells) =>
        rows.has(name) ? rows.get(name).push(cells) : rows.set(name, [cells]);
      for (const row of kernel.querySelector("tbody").rows) {
        const [name, where, formula, range, bits, level] = [...row.cells].map((c) => c.textContent.trim());
        put(name, { line: parseInt(where), how: where.split(" ")[1] || "", formula, range, bits, level });
      }
      for (const part of all("p", kernel))
        for (const name of part.textContent.split(" ").slice(1))
          put(name, { line: 0, how: "", formula: "", range: "", bits: "", level: part.dataset.level });
      known.set(kernel, rows);
    }
    return known.get(kernel);
  };

  const panel = $(".facts");
  const facts = (row, only) => {
    const line = +row.id.slice(1), rows = table(line);
    const names = only ? [only] : [...new Set(all("var", row).map((v) => v.textContent))];
    const found = names.flatMap((name) =>
      (rows.get(name) || []).map((fact) => [name, fact]));
    if (!found.length) {
      if (only) panel.replaceChildren(paragraph(`${only}: nothing is known of it`));
      return;
    }
    const grid = document.createElement("table");
    for (const [name, fact] of found.slice(0, 14)) {
      const where = fact.line ? `line ${fact.line}${fact.how ? ", " + fact.how : ""}` : "";
      const level = fact.level === "divergent" ? "divergent" : fact.level && `uniform over ${fact.level}`;
      const cells = [name, fact.formula, fact.range && `in ${fact.range}`.replace(/^in (-?\d[^,[]*)$/, "= $1"),
        fact.bits && `bits ${fact.bits}`, level, where];
      const tr = grid.insertRow();
      for (const text of cells) tr.insertCell().textContent = text || "";
      tr.cells[0].classList.toggle("sel", fact.line === line);
    }
    panel.replaceChildren(grid);
  };
  const paragraph = (text) => Object.assign(document.createElement("p"), { textContent: text });

  work.addEventListener("mouseover", (event) => {
    const name = event.target.closest("[data-pane=ptx] var");
    if (name) facts(name.closest("li"), name.textContent);
  });

  // --- cards

  const cards = all(".card");
  const shown = () => cards.filter((card) => !card.hidden);
  let now = null;
  const show = (card, focus = true) => {
    if (now) now.classList.remove("now");
    now = card;
    card.open = true;
    card.classList.add("now");
    const list = card.closest(".list"), top = list.getBoundingClientRect().top;
    const box = card.getBoundingClientRect();
    if (stacked()) card.scrollIntoView();
    else if (box.top < top + BAR || box.bottom > top + list.clientHeight)
      list.scrollTop += box.top - top - BAR;
    if (focus) $("summary", card).focus({ preventScroll: true });
    const link = all(".where a[href^='#p']", card)[0];
    const row = link && document.getElementById(link.hash.slice(1));
    if (row && row.tagName === "LI") select(row);
  };
  const step = (by) => {
    const list = shown(), at = list.indexOf(now);
    const next = list[at < 0 ? (by > 0 ? 0 : list.length - 1) : at + by];
    if (next) {
      if (now && now !== next) now.open = false;
      show(next);
    }
  };
  for (const card of cards)
    $("summary", card).addEventListener("click", () => { if (!card.open) setTimeout(() => show(card, false)); });

  // --- filters

  const form = $(".filters");
  const filter = () => {
    const wanted = Object.fromEntries(new FormData(form));
    const words = wanted.q.toLowerCase().split(/\s+/).filter(Boolean);
    for (const card of cards) {
      const data = card.dataset;
      const text = words.length ? $("summary", card).textContent.toLowerCase() : "";
      card.hidden = !(["rule", "certainty", "kernel", "property"].every(
        (key) => !wanted[key] || data[key].split(" ").includes(wanted[key])
      ) && words.every((word) => text.includes(word)));
    }
    form.querySelector("output").textContent = `${shown().length} of ${cards.length}`;
    const set = Object.entries(wanted).filter(([, value]) => value);
    if (set.length) history.replaceState(null, "", "#!" + new URLSearchParams(set));
    else if (location.hash.startsWith("#!")) history.replaceState(null, "", "#");
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());

  // --- links, also deep ones

  const arrive = () => {
    const hash = decodeURIComponent(location.hash.slice(1));
    if (hash.startsWith("!")) {
      for (const [name, value] of new URLSearchParams(hash.slice(1)))
        if (form.elements[name]) form.elements[name].value = value;
      filter();
      return;
    }
    const target = hash && document.getElementById(hash);
    if (!target) return;
    if (work.contains(target) && !stacked()) work.scrollIntoView();
    if (target.classList.contains("card")) { target.hidden = false; show(target, false); }
    else if (target.tagName === "LI") select(target);
  };
  addEventListener("hashchange", arrive);

  work.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link) {
      const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      if (target && (target.tagName === "LI" || target.classList.contains("card"))) {
        event.preventDefault();
        history.pushState(null, "", link.hash);
        arrive();
      }
      return;
    }
    const row = event.target.closest(".text li");
    if (row && String(getSelection()) === "") select(row);
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const done = () => {
      button.textContent = "copied";
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    };
    if (navigator.clipboard) navigator.clipboard.writeText(button.dataset.copy).then(done, () => {});
  });

  // --- keys

  const beside = (row, by) => {
    const rows = all("li", row.closest(".text"));
    return rows[rows.indexOf(row) + by];
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /INPUT|SELECT|TEXTAREA/.test(event.target.tagName);
    if (event.key === "Escape" && typing) { form.reset(); filter(); event.target.blur(); return; }
    if (typing) return;
    switch (event.key) {
      case "n": step(1); break;
      case "p": step(-1); break;
      case "j": case "k": {
        const row = current ? beside(current, event.key === "j" ? 1 : -1) : $("[data-pane=ptx] li");
        if (row) select(row);
        break;
      }
      case "/": form.elements.q.focus(); break;
      case "Escape": form.reset(); filter(); break;
      case "Enter": {
        const other = current && event.target === document.body && (partners.get(current) || [])[0];
        if (other) { select(other); break; }
        return;
      }
      default: return;
    }
    event.preventDefault();
  });
  addEventListener("beforeprint", () => { for (const card of cards) card.open = true; });
  if (!location.hash.startsWith("#!")) filter();
  arrive();
})();

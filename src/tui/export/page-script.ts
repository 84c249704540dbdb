/** The script of the exported page: plain JavaScript for browsers, in ASCII, drawn from the data beside it. */
export const PAGE_SCRIPT = String.raw`
const data = JSON.parse(document.getElementById("data").textContent);
const KINDS = ["same", "changed", "added", "removed", "moved-from", "moved-to"];
const SIGNS = { same: "", changed: "~", added: "+", removed: "-", "moved-from": "<", "moved-to": ">" };
// In a frame of a notebook (srcdoc) a bare "#..." is relative to the notebook's page.
const own = location.href.split("#")[0];
const named = () => data.steps.findIndex((s) => s.label === decodeURIComponent(location.hash.slice(1)));
const view = { step: Math.max(0, named() >= 0 ? named() : data.open), mode: 0, changedOnly: false, search: "", open: new Set(), cursor: -1, thread: -1 };
const $ = (id) => document.getElementById(id);
const el = (tag, cls, text) => { const e = document.createElement(tag); if (cls) e.className = cls; if (text !== undefined) e.textContent = text; return e; };
const WORD = /("(?:[^"\\]|\\.)*")|(%[\w$.-]+(?:#\d+)?)|([#!][A-Za-z_][\w$.]*)|(@[\w$.-]+)|(\b[a-z_]\w*(?:\.[a-z_]\w*)+\b)|(\b(?:tensor|vector|i\d+|f\d+|bf16|index)\b)|(-?\b\d[\w.+]*)/g;
const CLASSES = ["string", "value", "alias", "symbol", "op", "type", "number"];
function code(text, lit, cls) {
  const span = el("span");
  let at = 0;
  const add = (part, c, from) => {
    const on = lit && lit.some(([a, b]) => from < b && from + part.length > a);
    const e = el("span", (c || "") + (on ? " " + cls : ""), part);
    span.append(e);
  };
  for (const m of text.slice(0, 2000).matchAll(WORD)) {
    if (m.index > at) add(text.slice(at, m.index), "", at);
    add(m[0], CLASSES[m.slice(1).findIndex((g) => g !== undefined)], m.index);
    at = m.index + m[0].length;
  }
  if (at < text.length) add(text.slice(at), "", at);
  if (view.search && text.toLowerCase().includes(view.search)) { const m = el("mark"); m.append(span); return m; }
  return span;
}
// Words on one side only; renumbered values do not count.
function words(a, b) {
  const cut = (t) => [...t.matchAll(/[%^#!@]?[\w$.]+|[^\w\s]/g)].map((m) => ({ t: m[0].startsWith("%") ? "%" : m[0], from: m.index, to: m.index + m[0].length }));
  const x = cut(a), y = cut(b);
  if (x.length * y.length > 250000) return [[], []];
  const w = y.length + 1, best = new Int32Array((x.length + 1) * w);
  for (let i = x.length - 1; i >= 0; i--) for (let j = y.length - 1; j >= 0; j--) best[i * w + j] = x[i].t === y[j].t ? best[(i + 1) * w + j + 1] + 1 : Math.max(best[(i + 1) * w + j], best[i * w + j + 1]);
  const left = [], right = [];
  let i = 0, j = 0;
  while (i < x.length || j < y.length) {
    if (i < x.length && j < y.length && x[i].t === y[j].t) { i++; j++; }
    else if (j >= y.length || (i < x.length && best[(i + 1) * w + j] >= best[i * w + j + 1])) { left.push([x[i].from, x[i].to]); i++; }
    else { right.push([y[j].from, y[j].to]); j++; }
  }
  return [left, right];
}
function shownSteps() { return data.steps.map((s, i) => [s, i]).filter(([s, i]) => i === view.step || ((!view.changedOnly || s.changed) && !s.nested)); }
function drawPasses() {
  const nav = $("passes"); nav.replaceChildren();
  let stage = "";
  for (const [step, i] of shownSteps()) {
    if (step.stage !== stage) nav.append(el("h2", "", (stage = step.stage)));
    const b = el("button", (step.changed ? "" : "same") + (step.nested ? " nested" : ""));
    b.append(el("span", "", (step.changed ? "* " : "  ") + step.name));
    if (step.rows) { const c = step.rows.counts; if (c.added) b.append(el("span", "c1", "+" + c.added)); if (c.removed) b.append(el("span", "c3", "-" + c.removed)); }
    b.setAttribute("aria-current", String(i === view.step));
    b.dataset.step = i;
    b.onclick = () => select(i);
    nav.append(b);
    if (i === view.step) b.scrollIntoView({ block: "nearest" });
  }
}
function entries(step) {
  if (!step.rows || view.mode === 2) return step.lines.map((line, i) => ({ kind: "same", left: -1, right: line, at: i, row: i }));
  const rows = [], r = step.rows.rows;
  for (let i = 0; i < r.length; i += 4) rows.push({ kind: KINDS[r[i]], left: r[i + 1], right: r[i + 2], at: r[i + 3], row: i / 4 });
  const near = new Uint8Array(rows.length);
  rows.forEach((row, i) => { if (row.kind !== "same") for (let k = Math.max(0, i - 3); k <= Math.min(rows.length - 1, i + 3); k++) near[k] = 1; });
  const out = [];
  for (let i = 0; i < rows.length; ) {
    if (near[i]) { out.push(rows[i++]); continue; }
    let end = i; while (end < rows.length && !near[end]) end++;
    if (end - i < 2 || view.open.has(i)) { while (i < end) out.push(rows[i++]); } else { out.push({ fold: end - i, row: i }); i = end; }
  }
  return out;
}
function drawDiff() {
  const step = data.steps[view.step];
  const c = step.rows && step.rows.counts;
  const head = $("head"); head.replaceChildren();
  head.append(el("b", "", step.rows ? step.rows.before + " \u2192 " + step.name : step.name), el("small", "", "  " + (c ? [["added", c.added], ["removed", c.removed], ["changed", c.changed], ["moved", c.moved]].filter(([, n]) => n).map(([t, n]) => n + " " + t).join(", ") : "no changes") + "  \u00b7  " + step.numOps + " ops" + (step.ms === null ? "" : "  \u00b7  " + step.ms.toFixed(1) + " ms") + (step.options ? "  \u00b7  " + step.options : "") + "  \u00b7  " + ["side by side", "unified", "IR"][view.mode]));
  head.append(about(step.flag));
  const two = view.mode === 0 && step.rows, table = el("table", two ? "two" : ""), section = $("diff");
  if (two) { const group = el("colgroup"); for (const width of ["", "3ch", ""]) { const col = el("col"); col.style.width = width; group.append(col); } table.append(group); }
  for (const e of entries(step)) {
    const tr = el("tr", e.fold ? "fold" : "");
    tr.dataset.row = e.row;
    if (e.fold) { const td = el("td", "", "\u00b7\u00b7\u00b7 " + e.fold + " unchanged lines"); td.colSpan = 3; tr.append(td); tr.onclick = () => { view.open.add(e.row); drawDiff(); }; table.append(tr); continue; }
    const L = e.left >= 0 ? data.lines[e.left] : "", R = e.right >= 0 ? data.lines[e.right] : "";
    const lit = e.kind === "changed" ? words(L, R) : [null, null];
    const leftClass = e.kind === "changed" ? "removed" : e.kind === "added" || e.kind === "moved-to" ? "" : e.kind;
    const rightClass = e.kind === "changed" ? "added" : e.kind === "removed" || e.kind === "moved-from" ? "" : e.kind;
    const cell = (text, cls, l, word) => { const td = el("td", cls); td.append(code(text, l, word)); td.title = text.trim(); return td; };
    const pick = () => { view.cursor = e.right >= 0 ? e.at : -1; view.row = e.row; mark(); drawBelow(); };
    if (two) tr.append(cell(L, leftClass, lit[0], "unlit"), el("td", "sign", SIGNS[e.kind]), cell(R, rightClass, lit[1], "lit"));
    else if (e.kind === "changed") {
      const before = el("tr"); before.append(el("td", "n", ""), el("td", "sign c3", "-"), cell(L, "removed", lit[0], "unlit")); table.append(before);
      tr.append(el("td", "n", e.at + 1), el("td", "sign c1", "+"), cell(R, "added", lit[1], "lit"));
    } else tr.append(el("td", "n", e.right >= 0 ? e.at + 1 : ""), el("td", "sign", SIGNS[e.kind]), cell(R || L, e.right >= 0 ? rightClass : leftClass, null));
    if (e.kind !== "same") tr.dataset.change = "1";
    tr.onclick = pick;
    table.append(tr);
  }
  section.replaceChildren(table);
  mark();
}
function about(name) {
  const [title, ...lines] = data.texts[name] ?? [];
  if (title === undefined) return "";
  const details = el("details");
  details.append(el("summary", "", title), el("pre", "", lines.join("\n")));
  return details;
}
function mark() { for (const tr of $("diff").querySelectorAll("tr")) tr.classList.toggle("cursor", view.row !== undefined && tr.dataset.row === String(view.row)); }
function place(layout) {
  // Who holds each element first: all places from the last to the first.
  const bases = []; const sizes = {}; const start = {};
  for (const [dim, list] of layout.bases) { start[dim] = bases.length; sizes[dim] = list.length; bases.push(...list); }
  const owner = new Map();
  const n = Math.min(bases.length, 18);
  for (let i = (1 << n) - 1; i >= 0; i--) { const at = layout.shape.map(() => 0); for (let b = 0; b < n; b++) if ((i >> b) & 1) bases[b].forEach((v, d) => { at[d] ^= v; }); owner.set(at.join(), i); }
  const part = (i, dim) => dim in start ? (i >> start[dim]) & ((1 << sizes[dim]) - 1) : 0;
  return (at) => { const i = owner.get(at.join()); return i === undefined ? undefined : "offset" in start ? { offset: part(i, "offset") } : { thread: part(i, "warp") * (1 << (sizes.lane || 0)) + part(i, "lane"), register: part(i, "register") }; };
}
function drawLayout() {
  const section = $("layout"), step = data.steps[view.step];
  section.replaceChildren(el("b", "", "layout"));
  const index = view.cursor >= 0 ? step.layouts[view.cursor] : undefined;
  if (index === undefined || index < 0) { section.append(el("p", "muted", "click a line whose value has a layout")); return; }
  const layout = data.layouts[index];
  section.append(el("div", "muted", layout.text + "  " + layout.shape.join("x") + ", " + layout.bits + " bits"));
  const at = place(layout), shape = layout.shape, rank = shape.length, table = el("table", "map");
  const columns = rank === 1 ? Math.min(16, shape[0]) : shape[rank - 1], rows = rank === 1 ? Math.ceil(shape[0] / columns) : shape[rank - 2];
  for (let r = 0; r < rows; r++) {
    const tr = el("tr"); tr.append(el("td", "n", rank === 1 ? r * columns : r));
    for (let c = 0; c < columns; c++) {
      const who = at(rank === 1 ? [r * columns + c] : [...new Array(rank - 2).fill(0), r, c]);
      const td = el("td", who ? "c" + ((who.thread ?? who.offset >> 5) % 8) : "", who ? (who.offset === undefined ? "T" + who.thread + ":" + who.register : String(who.offset)) : "");
      if (who && who.thread === view.thread) td.classList.add("lit");
      if (who && who.thread !== undefined) td.onclick = () => { view.thread = view.thread === who.thread ? -1 : who.thread; drawLayout(); };
      tr.append(td);
    }
    table.append(tr);
  }
  section.append(table);
}
function drawCodegen() {
  const section = $("codegen"), step = data.steps[view.step];
  section.replaceChildren(el("b", "", "final code"));
  const source = view.cursor >= 0 ? step.sources[view.cursor] : 0;
  const line = source ? Number(String(source).split(":")[1]) : null;
  if (source) section.append(el("div", "muted", source));
  const opName = view.cursor >= 0 && /^\s*(?:%\S+(?:, %\S+)* = )?"?([a-z_]\w*\.[\w.]+)/.exec(data.lines[step.lines[view.cursor]]);
  if (opName) section.append(about(opName[1]));
  const op = view.cursor >= 0 ? step.ops[view.cursor] : 0;
  for (const remark of step.remarks) if (!op || remark.op === op) section.append(el("div", remark.kind === "missed" ? "c6" : "c1", remark.text));
  const table = el("table");
  for (const fact of data.facts) {
    const tr = el("tr", fact.op === op || (line !== null && fact.line === line) ? "cursor" : "");
    tr.append(el("td", "n", fact.count + "x"), el("td", "op", fact.instruction), el("td", "number", fact.bytes ? fact.bytes + " B" : ""), el("td", "muted", fact.predicate ?? ""), el("td", "number", fact.line === null ? "" : "line " + fact.line));
    if (fact.step !== null) tr.onclick = () => { select(fact.step); const at = data.steps[fact.step].ops.indexOf(fact.op); view.mode = 2; view.cursor = view.row = at; drawDiff(); drawBelow(); $("diff").querySelector("tr.cursor")?.scrollIntoView({ block: "center" }); };
    table.append(tr);
  }
  section.append(data.facts.length ? table : el("p", "muted", "no machine instructions in this Trace"));
}
function drawBelow() { drawLayout(); drawCodegen(); }
function select(i) { view.step = i; view.open.clear(); view.cursor = -1; view.row = undefined; location.replace(own + "#" + encodeURIComponent(data.steps[i].label)); drawPasses(); drawDiff(); drawBelow(); }
function walk(by, changed) {
  const list = shownSteps().filter(([s, i]) => !changed || s.changed || i === view.step).map(([, i]) => i);
  const to = list[list.indexOf(view.step) + by];
  if (to !== undefined) select(to);
}
function change(by) {
  const rows = [...$("diff").querySelectorAll("tr[data-change]")];
  if (!rows.length) return;
  const at = rows.findIndex((tr) => tr.dataset.row === String(view.row));
  const tr = rows[(at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by + rows.length) % rows.length];
  tr.click(); tr.scrollIntoView({ block: "center" });
}
let playing = 0;
function play() {
  if (playing) { clearInterval(playing); playing = 0; }
  else playing = setInterval(() => { const was = view.step; walk(1, true); if (view.step === was) play(); }, 1200);
  $("play").textContent = playing ? "stop" : "play";
}
$("play").onclick = play;
addEventListener("hashchange", () => { if (named() >= 0 && named() !== view.step) select(named()); });
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const keys = { j: () => walk(1), ArrowDown: () => walk(1), k: () => walk(-1), ArrowUp: () => walk(-1), ".": () => walk(1), ",": () => walk(-1), ">": () => walk(1, true), "<": () => walk(-1, true), n: () => change(1), N: () => change(-1), "|": () => { view.mode = (view.mode + 1) % 3; drawDiff(); }, c: () => { view.changedOnly = !view.changedOnly; drawPasses(); }, p: play, "/": () => { view.search = (prompt("search") ?? "").toLowerCase(); drawDiff(); $("diff").querySelector("mark")?.scrollIntoView({ block: "center" }); } };
  const act = keys[event.key];
  if (act) { event.preventDefault(); act(); }
});
select(view.step);
`;

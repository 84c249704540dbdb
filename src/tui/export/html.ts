/**
 * A Trace as one self-contained page: passes, diffs, layouts and final code, with keyboard and mouse. The page holds the
 * lines once, each step by numbers of lines, and each diff by its rows; a small script draws what is selected.
 */

import { stepBefore, stepDiff } from "../../diff/step-diff.js";
import { codegenFacts } from "../../explain/codegen-facts.js";
import { locationOf } from "../../explain/provenance.js";
import { type NameText, opText, passText } from "../../explain/texts/index.js";
import { layoutOfType, type ValueLayout } from "../../explain/value-layout.js";
import { stepModule } from "../../trace/step-module.js";
import type { Step, Trace } from "../../trace/trace.js";
import { type Ink, type Paper, style } from "../draw/style.js";
import { shown } from "../draw/text-width.js";
import { cssOf, type Theme } from "../draw/theme.js";
import { stepName } from "../state/steps.js";
import { PAGE_SCRIPT } from "./page-script.js";

/** Steps of more lines are shown without a diff and layouts. */
const MAX_LINES = 20_000;
const KINDS = ["same", "changed", "added", "removed", "moved-from", "moved-to"] as const;

/** The page opens at the step of an index, or at the one that its address names: `page.html#11`. */
export function traceHtml(trace: Trace, theme: Theme, open: number): string {
  const data = { ...pageData(trace), open };
  const title = `tt-step ${trace.source.name}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>
${styleSheet(theme)}
</style>
</head>
<body>
<nav id="passes" tabindex="0" aria-label="passes"></nav>
<main>
<header id="head"></header>
<section id="diff" tabindex="0" aria-label="diff"></section>
<div id="below"><section id="layout" aria-label="layout"></section><section id="codegen" aria-label="final code"></section></div>
<footer><button id="play">play</button> j k pass &nbsp; &lt; &gt; changed pass &nbsp; n N change &nbsp; | mode &nbsp; c changed only &nbsp; / search &nbsp; click a line: its layout, its source, its instructions</footer>
</main>
<script type="application/json" id="data">${JSON.stringify(data).replace(/</g, "\\u003c")}</script>
<script>
${PAGE_SCRIPT}
</script>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

interface PageLayout {
  readonly text: string;
  readonly shape: readonly number[];
  readonly bits: number;
  /** In dims with their bases, as coordinates. */
  readonly bases: readonly (readonly [dim: string, bases: readonly (readonly number[])[]])[];
}

function pageData(trace: Trace) {
  const lines: string[] = [];
  const numbers = new Map<number, number>();
  const lineOf = (number: number): number => {
    let index = numbers.get(number);
    if (index === undefined) {
      index = lines.push(shown(trace.lines.line(number))) - 1;
      numbers.set(number, index);
    }
    return index;
  };
  const layouts: PageLayout[] = [];
  const layoutIndex = new Map<ValueLayout, number>();
  const steps = trace.steps.map((step) => {
    const known = step.text.lines.length <= MAX_LINES;
    return {
      label: step.label,
      name: stepName(trace, step),
      flag: step.flag,
      stage: step.stage,
      nested: step.parent !== undefined,
      changed: step.changed,
      ms: step.ms ?? null,
      numOps: step.numOps,
      options: step.options,
      lines: Array.from(step.text.lines, lineOf),
      rows: known && step.changed && step.stage !== "ptx" ? rowsOf(trace, step, lineOf) : null,
      layouts: known ? layoutsOf(trace, step, layouts, layoutIndex) : [],
      sources: sourcesOf(trace, step),
      ops: Array.from(step.text.ops),
      remarks: step.remarks.map(({ kind, message, refs, op }) => ({
        kind,
        op,
        text: message.replace(/\{(\d+)\}/g, (all, i: string) => refs[Number(i)]?.text ?? all),
      })),
    };
  });
  const facts = codegenFacts(trace).map(({ instruction, count, bytesPerThread, predicate, op, opStep, source }) => ({
    instruction,
    count,
    bytes: bytesPerThread,
    predicate: predicate ?? null,
    op: op ?? null,
    step: opStep ?? null,
    line: source?.line ?? null,
  }));
  return { name: trace.source.name, target: trace.target ?? null, lines, steps, layouts, facts, texts: textsOf(trace, lines) };
}

/** The texts of the passes that ran and of the ops in the lines, by name: title and lines. */
function textsOf(trace: Trace, lines: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const ops = lines.flatMap((text) => /^\s*(?:%\S+(?:, %\S+)* = )?"?([a-z_]\w*\.[\w.]+)/.exec(text)?.[1] ?? []);
  const named = (names: readonly string[], textOf: (name: string) => NameText | undefined) =>
    [...new Set(names)].flatMap((name) => {
      const text = textOf(name);
      return text ? [[name, [text.title, ...text.lines]] as const] : [];
    });
  return Object.fromEntries([
    ...named(
      trace.steps.map(({ flag }) => flag),
      passText,
    ),
    ...named(ops, opText),
  ]);
}

/** The rows of the diff against the step before: kind, line before, line after, by threes; and the texts before. */
function rowsOf(trace: Trace, step: Step, lineOf: (number: number) => number) {
  const previous = stepBefore(trace, step);
  if (!previous || previous.text.lines.length > MAX_LINES) return null;
  const { before, after, alignment } = stepDiff(trace, previous, step);
  const rows: number[] = [];
  for (const { kind, left, right } of alignment.rows)
    rows.push(
      KINDS.indexOf(kind),
      left < 0 ? -1 : lineOf(before.lines[left]!),
      right < 0 ? -1 : lineOf(after.lines[right]!),
      right < 0 ? left : right,
    );
  return { rows, counts: alignment.counts, before: stepName(trace, previous) };
}

/** For each line of a step the layout of its first value that has one, as an index; -1 for none. */
function layoutsOf(trace: Trace, step: Step, layouts: PageLayout[], index: Map<ValueLayout, number>): readonly number[] {
  if (step.stage === "ttir" || step.stage === "ptx") return [];
  const ir = stepModule(trace, step);
  if ("error" in ir) return [];
  const found: number[] = new Array<number>(step.text.lines.length).fill(-1);
  for (const [line, op] of ir.opAtLine) {
    for (const value of op.results.length > 0 ? op.results : op.operandUses.map((u) => u.value)) {
      const layout = layoutOfType(value.type);
      if ("reason" in layout) continue;
      let at = index.get(layout);
      if (at === undefined) index.set(layout, (at = layouts.push(pageLayout(layout)) - 1));
      found[line] = at;
      break;
    }
  }
  return found;
}
function pageLayout({ layout, shape, bits, encodingText }: ValueLayout): PageLayout {
  const bases = layout.inDimNames.map((dim) => [dim, [...layout.getPackedBases(dim)].map((packed) => layout.unpack(packed))] as const);
  return { text: encodingText, shape, bits, bases };
}

function sourcesOf(trace: Trace, step: Step): readonly (string | 0)[] {
  return Array.from(step.text.ops, (op) => {
    const at = op === 0 ? undefined : locationOf(trace, op);
    return at ? `${at.file.slice(at.file.lastIndexOf("/") + 1)}:${at.line}` : 0;
  });
}

function styleSheet(theme: Theme): string {
  const ink = (name: Ink, paper: Paper = "none") => cssOf(theme, style(name, paper));
  return `:root{color-scheme:${theme.name === "light" ? "light" : "dark"}}
*{box-sizing:border-box}
body{margin:0;height:100vh;display:grid;grid-template-columns:minmax(16rem,22%) 1fr;background:${theme.page[0]};color:${theme.page[1]};font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
nav{overflow:auto;border-right:1px solid #8884;padding:.5rem 0}
nav h2{font-size:1em;margin:.4rem .6rem;${ink("accent")}}
nav button{display:flex;width:100%;gap:.5ch;border:0;background:none;color:inherit;font:inherit;text-align:left;padding:0 .6rem;cursor:pointer}
nav button span:first-of-type{flex:1;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
nav button.same{${ink("muted")}}
nav button.nested{padding-left:2rem}
nav button[aria-current=true]{${ink("title", "selected")}}
main{display:grid;grid-template-columns:minmax(0,1fr);grid-template-rows:auto 1fr minmax(0,34%) auto;min-width:0;height:100vh}
header{padding:.5rem .8rem;border-bottom:1px solid #8884}
footer button{font:inherit;color:inherit;background:none;border:1px solid #8884;border-radius:3px;cursor:pointer}
header{max-height:45vh;overflow:auto}
summary{cursor:pointer;${ink("accent")}}
details pre{margin:.3rem 0;white-space:pre-wrap;font:inherit}
header small{${ink("muted")}}
#diff{overflow:auto;outline:none}
#below{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);border-top:1px solid #8884;min-height:0}
#below section{overflow:auto;padding:.4rem .8rem}
#below section+section{border-left:1px solid #8884}
footer{padding:.3rem .8rem;border-top:1px solid #8884;${ink("muted")}}
table{border-collapse:collapse;width:100%}
td{padding:0 .6ch;white-space:pre;vertical-align:top}
table.two{table-layout:fixed}table.two td{white-space:pre-wrap;overflow-wrap:anywhere}table.two td.sign{width:3ch;text-align:center}
.n{${ink("comment")};text-align:right;user-select:none;width:1%}
.sign{width:1%;font-weight:bold}
.added{${cssOf(theme, style("plain", "addedLine"))}}.removed{${cssOf(theme, style("plain", "removedLine"))}}
.moved-to,.moved-from{${cssOf(theme, style("plain", "movedLine"))}}
.fold td{${cssOf(theme, style("comment", "panel"))};cursor:pointer}
.lit{${cssOf(theme, style("plain", "addedWord"))};font-weight:bold}.unlit{${cssOf(theme, style("plain", "removedWord"))};font-weight:bold}
tr.cursor td{outline:1px solid #8888;background-blend-mode:overlay;${cssOf(theme, style("plain", "cursor"))}}
mark{${cssOf(theme, style("plain", "match"))};color:inherit}
.value{${ink("value")}}.op{${ink("op")}}.type{${ink("type")}}.alias{${ink("alias")}}.number{${ink("number")}}.string{${ink("string")}}.symbol{${ink("symbol")}}.muted{${ink("muted")}}
.map td{text-align:right;padding:0 .5ch}
${[0, 1, 2, 3, 4, 5, 6, 7].map((c) => `.c${c}{${cssOf(theme, style(`c${c}` as Ink))}}`).join("")}`;
}

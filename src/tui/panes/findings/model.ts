/** The first screen: what the kernel is, and what holds it back, worst first. */
import { type Finding, findings, noFindings, unseen } from "../../../explain/findings.js";
import { headlineOf, headlineText } from "../../../explain/headline.js";
import { linesOfOps } from "../../../explain/provenance.js";
import { memo } from "../../../support/memo.js";
import { wrapText } from "../../../support/wrap-text.js";
import { LOG_ENDS, UNMATCHED } from "../../../trace/import/import-dump.js";
import { failuresOf } from "../../../trace/trace.js";
import { BOLD, ERROR, GOOD, type Ink, MUTED, type Row, style, TITLE } from "../../draw/style.js";
import type { Session, State } from "../../state/state.js";
import { placeText, stepName } from "../../state/steps.js";

/** A row, and the finding that it is about. */
export interface FindingRow {
  readonly row: Row;
  readonly finding?: number;
}

/** The findings; none before the compilation ends. */
export function findingsOf({ trace, computed, progress }: Session): readonly Finding[] | undefined {
  if (progress || trace.steps.length === 0) return undefined;
  return computed.findings ?? (computed.diffs ? undefined : findings(trace));
}

export const findingRows = (state: State, width: number): readonly FindingRow[] =>
  rowsOf(state.session, findingsOf(state.session), Math.max(20, width));

const rowsOf = memo((session: Session, found: readonly Finding[] | undefined, width: number): readonly FindingRow[] => {
  const { trace, progress, failure, refused } = session;
  const rows: FindingRow[] = [];
  const add = (text: string, ink: number, indent = "", finding?: number) => {
    for (const part of wrapText(text, width - indent.length - 1))
      rows.push({
        row: [
          [` ${indent}`, 0],
          [part, ink],
        ],
        ...(finding === undefined ? {} : { finding }),
      });
  };
  if (refused) {
    add(`${session.name} cannot be opened`, TITLE);
    rows.push({ row: [] });
    for (const said of refused.text.trimEnd().split("\n")) {
      // A line of the input stays above its caret.
      if (/^\s/.test(said)) rows.push({ row: [[` ${said}`, ERROR]] });
      else add(said.replace(/^tt-step: /, ""), ERROR);
    }
    if (refused.found.length > 0) rows.push({ row: [] });
    for (const said of refused.found) add(said, 0);
  }
  if (session.form && trace.steps.length === 0 && !progress) add(`not compiled yet: A opens the ${session.form.title}`, TITLE);
  if (trace.steps.length > 0) add(headlineText(headlineOf(trace)), TITLE);
  const ends = trace.warnings.filter((text) => text.startsWith(LOG_ENDS));
  const others = trace.warnings.filter((text) => !text.startsWith(LOG_ENDS) && !text.includes(UNMATCHED));
  for (const text of ends)
    add(`${text}; ${trace.steps.filter(({ parent, kind }) => parent === undefined && kind === "pass").length} passes were found`, ERROR);
  for (const text of failure === undefined ? [] : failuresOf(trace).flatMap((said) => said.split("\n"))) add(text, ERROR);
  if (found && found.length > 0)
    add(`${found.length} finding${found.length === 1 ? "" : "s"}, worst first; enter goes to the place`, MUTED);
  else if (found) add(noFindings(trace), unseen(trace) === undefined ? GOOD : MUTED);
  else if (progress || trace.steps.length > 0) add(progress ? "compiling ..." : "looking for findings ...", MUTED);
  found?.forEach((finding, i) => {
    const { kind, title, why, inLoop } = finding;
    rows.push({ row: [] });
    const head = ` ${String(i + 1).padStart(2)} `;
    const [first = "", ...rest] = wrapText(`${kind}  ${title}${inLoop ? ", in a loop" : ""}`, width - head.length);
    rows.push({
      row: [
        [head, MUTED],
        [kind, style(INK_OF[kind], "none", BOLD)],
        [first.slice(kind.length), style("plain", "none", BOLD)],
      ],
      finding: i,
    });
    for (const text of rest) add(text, style("plain", "none", BOLD), "   ", i);
    add(placeOf(session, finding), MUTED, "   ", i);
    for (const text of why) add(text, 0, "   ", i);
  });
  if (others.length > 0) rows.push({ row: [] });
  for (const text of others) add(text, MUTED);
  return rows;
}, 4);

const INK_OF: Readonly<Record<Finding["kind"], Ink>> = {
  "shared memory": "error",
  spills: "error",
  "no tensor cores": "error",
  "narrow access": "warning",
  "loop not pipelined": "warning",
  "bank conflicts": "warning",
  conversion: "accent",
};

/** `11 coalesce, line 17 · vecadd.py:11  x = tl.load(x_ptr + offs)`. */
function placeOf(session: Session, { step: index, op, source }: Finding): string {
  const step = session.trace.steps[index]!;
  const at = op === undefined ? undefined : linesOfOps(step.text).get(op);
  const pass = `${step.label} ${stepName(session.trace, step)}${at === undefined ? "" : `, line ${at + 1}`}`;
  return source ? `${pass} · ${placeText(session, source)}` : pass;
}

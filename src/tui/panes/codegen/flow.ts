/** The flow tab: loops of scf with their trip counts, a pipelined loop as iterations by stages with its buffers, and the blocks of the final code. */
import { type FlowNode, type LoopSchedule, loopSchedules, ptxFlow, scfFlow } from "../../../explain/codegen/control-flow.js";
import { memo } from "../../../support/memo.js";
import { wrapText } from "../../../support/wrap-text.js";
import type { Step } from "../../../trace/trace.js";
import { BOLD, type Ink, line, MUTED, type Row, type Span, style } from "../../draw/style.js";
import type { Go, Session } from "../../state/state.js";
import { stepName } from "../../state/steps.js";
import { makingText, ptxOf } from "./final-code.js";
import type { CodegenItem } from "./item.js";

const TITLE = style("title", "none", BOLD);

export const flowItems = memo((session: Session, selected: Step | undefined, width: number): readonly CodegenItem[] => {
  const { trace, progress } = session;
  const items: CodegenItem[] = [];
  // PTX and LLVM IR have no scf: the last step that has some is shown then.
  const shown = [selected, trace.steps.findLast((step) => step.known && step.stage !== "ptx" && scfFlow(trace, step).length > 0)].find(
    (step) => step && scfFlow(trace, step).length > 0,
  );
  if (shown) {
    items.push({ row: line(`loops after ${shown.label} ${stepName(trace, shown)}`, TITLE) });
    items.push(...nodeItems(scfFlow(trace, shown), "ops", width, (at) => ({ to: "line", step: shown.index, line: at })));
  } else items.push({ row: line("no loops and no branches: every line runs once", MUTED) });
  for (const schedule of progress ? [] : loopSchedules(trace)) items.push(...scheduleItems(schedule, width));
  const { ptx } = trace.artifacts;
  if (ptx !== undefined && !progress) {
    items.push({ row: line("blocks of the PTX", TITLE) });
    items.push(...nodeItems(blocksOf(ptx), "instructions", width, undefined));
  }
  const code = ptxOf(session);
  if (!progress && code.kind === "making") items.push({ row: line(makingText(code), MUTED) });
  return items;
}, 8);
const blocksOf = memo((ptx: string) => ptxFlow(ptx.split("\n")), 4);

function nodeItems(nodes: readonly FlowNode[], unit: string, width: number, goTo: ((line: number) => Go) | undefined): CodegenItem[] {
  return nodes.flatMap(({ title, depth, line: at, count, notable }): CodegenItem[] => {
    const go = goTo ? { go: goTo(at) } : {};
    const indent = `  ${"│ ".repeat(depth)}`;
    const said = `${count} ${unit}${notable.length > 0 ? `: ${notable.join(", ")}` : ""}`;
    return [
      {
        row: [
          [indent, MUTED],
          [title, style(depth > 0 ? "accent" : "symbol", "none", BOLD)],
        ],
        ...go,
      },
      ...wrapText(said, width - indent.length - 2).map((text) => ({
        row: [
          [`${indent}${depth > 0 ? "  " : "  "}`, MUTED],
          [text, MUTED],
        ] as Row,
        ...go,
      })),
    ];
  });
}

const INKS: readonly Ink[] = ["c0", "c1", "c2", "c4", "c5", "c6", "c3", "c7"];
const CELL = 7;
/** Iterations from left to right, time from top to bottom: how many iterations are under way, and which buffer each uses. */
function scheduleItems({ step, line: at, stages, buffers }: LoopSchedule, width: number): CodegenItem[] {
  const count = stages.length;
  const slots = Math.max(1, ...buffers.map((buffer) => buffer.slots));
  const iterations = Math.min(count + 2, Math.max(2, Math.floor((width - 18) / CELL)));
  const go: Go = { to: "line", step, line: at };
  const items: CodegenItem[] = [{ row: line(`the pipelined loop: ${count} stages, ${count} iterations under way`, TITLE), go }];
  stages.forEach((ops, i) => {
    for (const [k, text] of wrapText(`${ops.length > 0 ? ops.join(", ") : "addresses and masks"}`, width - 12).entries())
      items.push({
        row: [
          [k === 0 ? `  stage ${i}  ` : " ".repeat(11), style(INKS[i % INKS.length]!, "none", BOLD)],
          [text, 0],
        ],
        go,
      });
  });
  for (const { type, slots: own } of buffers)
    items.push({ row: line(`  buffer ${type.replace(/^\d+x/, "")}, ${own} of them: iteration i uses number i mod ${own}`, MUTED), go });
  items.push({ row: line(`${"".padEnd(12)}${Array.from({ length: iterations }, (_, i) => `i=${i}`.padEnd(CELL)).join("")}`, MUTED) });
  const last = iterations + count - 1;
  for (let time = 0; time < last; time++) {
    const phase = time < count - 1 ? "before" : time >= iterations ? "after" : "loop";
    const spans: Span[] = [[`  ${phase.padEnd(10)}`, phase === "loop" ? style("accent") : MUTED]];
    for (let i = 0; i < iterations; i++) {
      const stage = time - i;
      spans.push(
        stage < 0 || stage >= count
          ? [" ".repeat(CELL), 0]
          : [`S${stage}${buffers.length > 0 ? ` b${i % slots}` : ""}`.padEnd(CELL), style(INKS[stage % INKS.length]!, "none", BOLD)],
      );
    }
    items.push({ row: spans });
  }
  items.push({ row: line(`  S0 b1: stage 0 with buffer 1. Rows marked "before" fill the pipeline, "after" drain it`, MUTED) });
  return items;
}

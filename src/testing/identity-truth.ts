/**
 * How well identity is inferred for imported dumps: our own compilation, whose ids are the truth, is written as a dump
 * log and read back.
 */

import { defaultOptions } from "../backend/nvidia/options.js";
import { compile } from "../compile/compile.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { parseModule } from "../syntax/parse.js";
import { importDumpLog } from "../trace/import/import-dump.js";
import type { Stage } from "../trace/stage.js";
import type { Step, Trace } from "../trace/trace.js";

export interface Agreement {
  /** Ops of all steps that have a step before them, but for those `untold`. */
  readonly ops: number;
  /** New ops of which the rewriter does not say where they come from: nothing to compare with. By pass. */
  readonly untold: ReadonlyMap<string, number>;
  readonly agree: number;
  /** Ops that are new by the truth, and those of them whose inferred origin (or partner) is one of the recorded ones. */
  readonly fresh: number;
  readonly origins: number;
  /** Lines of ops on which inference and truth differ. */
  readonly wrong: readonly string[];
}

/** Our compilation of `text` as a log, with every state of the IR in the order in which it came about. */
export function compileAsLog(
  text: string,
  capability: number,
  debugInfo: boolean,
): { readonly trace: Trace; readonly states: readonly Step[]; readonly log: string } {
  const ctx = new Context(ALL_DIALECTS);
  const parsed = parseModule(ctx, "input.mlir", text);
  if (!parsed) throw new Error(ctx.diagnostics[0]?.message ?? "does not parse");
  const { trace } = compile("input.mlir", parsed.module, {
    target: `cuda:${capability}`,
    options: defaultOptions(capability),
    debugInfo,
    clock: () => 0,
  });
  // Steps inside a pass are over before the pass is.
  const states: Step[] = [];
  for (const step of trace.steps) if (step.parent === undefined) states.push(...trace.steps.filter((s) => s.parent === step.index), step);
  let log = "";
  for (const [i, step] of states.slice(1).entries()) {
    const symbol = step.symbol === undefined ? "" : `: @${step.symbol}`;
    log += `// -----// IR Dump Before ${step.pass} (${step.flag}) ('${step.op}' operation${symbol}) //----- //\n`;
    log += `${trace.lines.textOf(states[i]!.text)}\n\n`;
  }
  log += `// -----// IR Dump Before End (end) ('builtin.module' operation) //----- //\n${trace.lines.textOf(states.at(-1)!.text)}\n`;
  return { trace, states, log };
}

export function identityAgreement(text: string, capability: number, debugInfo: boolean, stages: readonly Stage[]): Agreement {
  const { trace, states, log } = compileAsLog(text, capability, debugInfo);
  const imported = importDumpLog("log", log, { debugInfo });
  if ("error" in imported) throw new Error(imported.error);
  const origins = originsOf(trace.steps);
  const inferredOrigins = originsOf(imported.steps);
  let ops = 0;
  let agree = 0;
  let fresh = 0;
  let originsAgree = 0;
  const wrong: string[] = [];
  const untold = new Map<string, number>();
  for (let s = 1; s < states.length; s++) {
    const [before, after] = [states[s - 1]!, states[s]!];
    if (before.text === after.text || !stages.includes(after.stage)) continue;
    const [guessBefore, guessAfter] = [imported.steps[s - 1]!.text, imported.steps[s]!.text];
    const alive = new Set(before.text.ops);
    const trueId = new Map<number, number>();
    guessBefore.ops.forEach((id, line) => trueId.set(id, before.text.ops[line]!));
    after.text.ops.forEach((id, line) => {
      if (id === 0) return;
      const chain = ancestors(id, origins, alive);
      if (!alive.has(id) && chain.size === 0) return void untold.set(after.flag, (untold.get(after.flag) ?? 0) + 1);
      ops++;
      const guess = guessAfter.ops[line]!;
      const partner = trueId.get(guess);
      const right = alive.has(id)
        ? partner === id || (partner !== undefined && chain.has(partner))
        : partner === undefined || chain.has(partner);
      if (right) agree++;
      else
        wrong.push(
          `${after.label} ${after.flag}: ${trace.lines.line(after.text.lines[line]!).trim()} is ${lineOf(trace, before, partner)}, not ${lineOf(trace, before, alive.has(id) ? id : undefined)}`,
        );
      if (alive.has(id)) return;
      fresh++;
      const from = partner !== undefined ? [partner] : (inferredOrigins.get(guess) ?? []).map((o) => trueId.get(o));
      if (from.some((o) => o !== undefined && chain.has(o))) originsAgree++;
    });
  }
  return { ops, untold, agree, fresh, origins: originsAgree, wrong };
}

function originsOf(steps: readonly Step[]): Map<number, number[]> {
  const origins = new Map<number, number[]>();
  for (const step of steps)
    for (let i = 0; i < step.origins.length; i += 2) {
      const list = origins.get(step.origins[i]!);
      if (list) list.push(step.origins[i + 1]!);
      else origins.set(step.origins[i]!, [step.origins[i + 1]!]);
    }
  return origins;
}
/** The ops among `alive` that an op's chain of origins leads to. */
function ancestors(id: number, origins: ReadonlyMap<number, readonly number[]>, alive: ReadonlySet<number>): Set<number> {
  const found = new Set<number>();
  const seen = new Set([id]);
  for (const op of seen) {
    if (op !== id && alive.has(op)) found.add(op);
    for (const origin of origins.get(op) ?? []) seen.add(origin);
  }
  return found;
}
function lineOf(trace: Trace, step: Step, id: number | undefined): string {
  const line = id === undefined ? -1 : step.text.ops.indexOf(id);
  return line < 0 ? "new" : `'${trace.lines.line(step.text.lines[line]!).trim()}'`;
}

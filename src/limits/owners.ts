/** The op of TTGIR that an instruction of PTX comes from, by the place in the source that both name. */

import { readInstruction } from "../explain/codegen/ptx-instruction.js";
import { lastTtgirStep, Owners } from "../explain/codegen-facts.js";
import type { InstructionFacts } from "../explain/instruction-facts.js";
import { linesOfOps } from "../explain/provenance.js";
import type { Trace } from "../trace/trace.js";
import type { SiteCost } from "./counts.js";

/** Finds the owner of an instruction; without one its opcode is the name. */
export function ownersOfSites(trace: Trace): (site: SiteCost) => { readonly name: string; readonly op: number | undefined } {
  const step = lastTtgirStep(trace);
  const owners = new Owners(trace, step);
  const lines = step ? linesOfOps(step.text) : new Map<number, number>();
  return ({ text, mnemonic, source }) => {
    const fact: InstructionFacts | undefined = readInstruction(text);
    const [, file = "", line = "0", column = "0"] = /^(.*):(\d+):(\d+)$/.exec(source ?? "") ?? [];
    const op = fact && owners.of(0, { file, line: Number(line), column: Number(column) }, fact);
    if (op === undefined) return { name: mnemonic.split(".").slice(0, 2).join("."), op: undefined };
    const shown = trace.lines.line(step!.text.lines[lines.get(op)!]!);
    return { name: /^\s*(?:%[^=]*= )?"?([\w.]+)/.exec(shown)?.[1] ?? shown.trim(), op };
  };
}

/** `--findings`: what holds a kernel back, worst first, as text. */
import { findings, headlineOf, headlineText, placeText } from "../library/findings.js";
import type { Trace } from "../trace/trace.js";
import type { Io } from "./io.js";
import { assembledPtx, machineFactsOf } from "./ptxas.js";
import type { TtStepArgs } from "./tt-step-args.js";

/** The kernel in a line, and a paragraph for each finding. */
export function findingsText(trace: Trace, args: TtStepArgs, io: Io): string {
  const made = trace.artifacts.ptx === undefined ? undefined : assembledPtx(trace.artifacts.ptx, args.cuda, io);
  const machine = made && !("error" in made) ? machineFactsOf(made) : undefined;
  const found = findings(trace, machine);
  const registers = machine ? `, ${machine.registers} registers a thread` : "";
  const out = [`${headlineText(headlineOf(trace))}${registers}`];
  if (found.length === 0)
    out.push("no findings: no narrow accesses, bank conflicts, conversions through shared memory or missed tensor cores");
  else out.push(`${found.length} finding${found.length === 1 ? "" : "s"}, worst first`);
  found.forEach((finding, i) => {
    const { kind, title, why, inLoop } = finding;
    out.push("", `${String(i + 1).padStart(3)}  ${kind}${inLoop ? " in a loop" : ""}: ${title}`);
    out.push(`     ${placeText(trace, finding)}`, ...why.map((text) => `     ${text}`));
  });
  return `${out.join("\n")}\n`;
}

/** `--findings`: what holds a kernel back, worst first, as text. */
import { findings, headlineOf, headlineText, type MachineFacts, placeText } from "../index.js";
import type { Trace } from "../trace/trace.js";

/** The kernel in a line, and a paragraph for each finding. */
export function findingsText(trace: Trace, machine: MachineFacts | undefined): string {
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

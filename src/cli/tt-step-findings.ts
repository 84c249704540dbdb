/** `--findings`: what holds a kernel back, worst first, as text. */
import { findings, headlineOf, headlineText, noFindings, placeText } from "../library/findings.js";
import type { Trace } from "../trace/trace.js";
import type { Io } from "./io.js";
import { withMachineCode } from "./machine-code.js";

/** The kernel in a line, and a paragraph for each finding. */
export function findingsText(given: Trace, io: Io): string {
  const trace = withMachineCode(given, io);
  const found = findings(trace);
  const out = [headlineText(headlineOf(trace))];
  if (found.length === 0) out.push(noFindings(trace));
  else out.push(`${found.length} finding${found.length === 1 ? "" : "s"}, worst first`);
  found.forEach((finding, i) => {
    const { kind, title, why, inLoop } = finding;
    out.push("", `${String(i + 1).padStart(3)}  ${kind}${inLoop ? " in a loop" : ""}: ${title}`);
    out.push(`     ${placeText(trace, finding)}`, ...why.map((text) => `     ${text}`));
  });
  return `${out.join("\n")}\n`;
}

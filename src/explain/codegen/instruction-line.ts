/** A line of final code in words: what its instruction does, and which operand is what. */
import type { AmdGpu } from "../../gpu/amd.js";
import { instructionText, type NameText } from "../texts/index.js";
import { readAmdAssembly } from "./amd-assembly.js";
import { AmdLines } from "./amd-lines.js";
import { sassText } from "./sass-text.js";

/** The instruction on a line of PTX, of machine code, or of the IR, with PTX in a string or for `amd`; undefined for a line without one. */
export function instructionOnLine(line: string, amd?: AmdGpu): NameText | undefined {
  const [fact = amd && readAmdAssembly(line)] = amd ? new AmdLines(amd).read(line) : [];
  if (fact) return instructionText(fact.instruction);
  const sass = /^\s*\/\*[0-9a-f]{4,}\*\/\s+(?:(@!?U?P[T\d]+)\s+)?([A-Z][\w.]*)\s*([^;]*)/.exec(line);
  if (sass) return explained(sassText(sass[2]!), sass[1], sass[3]!);
  for (const [, guard, mnemonic, operands] of line.matchAll(
    /(?:(@!?[%$][\w$]+)\s+)?\b([a-z]\w*(?:\.[\w:]+)+|bra|ret|trap|exit)\b\s*([^;"]*)/g,
  )) {
    const text = instructionText(mnemonic!);
    if (text) return explained(text, guard, operands!);
  }
  return undefined;
}

function explained(text: NameText | undefined, guard: string | undefined, operands: string): NameText | undefined {
  if (!text) return undefined;
  const given = operandsOf(operands);
  const at = text.lines.findIndex((line) => line.startsWith("Operands: "));
  const named = at < 0 ? "" : text.lines[at]!.slice("Operands: ".length).replace(/ \{,.*$/, "");
  const names = operandsOf(named).map((name) => name.replace(/ or .*$/, ""));
  const pairs = given.flatMap((value, i) =>
    names.length >= given.length || i < names.length ? [`  ${names[i]!.padEnd(16)} ${value}`] : [],
  );
  const here = [
    ...(guard === undefined ? [] : [`Only where ${guard.slice(1).replace("!", "not ")} holds.`]),
    ...(pairs.length === 0 || text.lines[at] === "Operands: none" ? [] : ["Here:", ...pairs]),
  ];
  return { title: text.title, lines: [...text.lines.slice(0, at + 1), ...here, ...text.lines.slice(at + 1)] };
}

/** Operands at the outermost level: `{ %r1, %r2 }` is one. */
function operandsOf(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i <= text.length; i++) {
    const c = text[i] ?? ",";
    if ("([{".includes(c)) depth++;
    else if (")]}".includes(c)) depth--;
    else if (c === "," && (depth === 0 || i === text.length)) {
      found.push(text.slice(from, i).trim());
      from = i + 1;
    }
  }
  return found.filter((operand) => operand !== "");
}

/**
 * What the names that the tool prints mean: passes, ops, encodings, instructions, and the codes of remarks and diagnostics.
 * A text is found by its name; definitions add what they know themselves (options, operands, the upstream file).
 */
import { defaultOptions } from "../../backend/nvidia/options.js";
import { pipelineOf } from "../../compile/compile.js";
import { CATALOGUE, explain } from "../../diagnostics/catalogue.js";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { Context } from "../../ir/context.js";
import type { PassDef } from "../../pass/define-pass.js";
import { optionText } from "../../pass/options.js";
import { explainRemark, REMARK_CODES } from "../../pass/remark.js";
import { PASSES } from "../../passes/index.js";
import EXAMPLES from "./pass-examples.json" with { type: "json" };
import { PASS_TEXTS } from "./passes/index.js";

/** A name explained. A line that begins with a space is code or a drawing, and is not to be broken; the others are paragraphs. */
export interface NameText {
  readonly title: string;
  readonly lines: readonly string[];
}

/** The GPUs whose pipelines are named: one of each kind of tensor core. */
const GENERATIONS = [80, 90, 100];

/** The pass of a flag, of its class upstream, or of the end of a flag that only one has (`coalesce`). */
export function passNamed(name: string): PassDef | undefined {
  const shown = [...PASSES.values()].filter((pass) => !pass.testOnly);
  const exact = shown.find((pass) => pass.flag === name || pass.name === name);
  if (exact) return exact;
  const ends = shown.filter(({ flag }) => flag.endsWith(`-${name}`));
  return ends.length === 1 ? ends[0] : undefined;
}

/** A pass in words, with an example that the pass itself has made; undefined for a name that no pass has. */
export function passText(name: string): NameText | undefined {
  const pass = passNamed(name);
  const text = pass && PASS_TEXTS[pass.flag];
  if (!pass || !text) return undefined;
  const { before, after } = (
    EXAMPLES as Readonly<Record<string, { readonly before: readonly string[]; readonly after: readonly string[] }>>
  )[pass.flag]!;
  const options = Object.entries(pass.options);
  return {
    title: `${pass.flag} (${pass.name}): ${pass.summary}`,
    lines: [
      text.purpose,
      "",
      `Its place: ${text.place}`,
      ...placesOf(pass.flag).map((line) => `  ${line}`),
      "",
      `Where it does nothing: ${text.declines}`,
      "",
      "Before:",
      ...indented(before),
      "After:",
      ...indented(after),
      "",
      ...(options.length === 0 ? ["It has no options."] : ["Options:"]),
      ...options.map(
        ([key, spec]) => `  ${optionText(key, spec).padEnd(28)} ${spec.summary} (default: ${spec.print(spec.default as never)})`,
      ),
      ...Object.entries(pass.statistics).map(([name, what]) => `It counts ${what} (${name}).`),
      ...(pass.source === undefined ? [] : [`Upstream: ${pass.source}`]),
    ],
  };
}

/** Where the pipelines of the generations of GPUs run a pass; those that run it at the same place are named together. */
function placesOf(flag: string): string[] {
  const places = new Map<string, string[]>();
  for (const capability of GENERATIONS) {
    const steps = pipelineOf({ capability, options: defaultOptions(capability) });
    const runs = steps.flatMap((step, i) => (step.flag === flag ? [i] : []));
    const [first] = runs;
    const [previous, next] = first === undefined ? [] : [steps[first - 1], steps[first + 1]];
    const around = [previous && `after ${previous.flag}`, next && `before ${next.flag}`];
    const times = runs.length === 1 ? "" : `${runs.length} times, first `;
    const place =
      first === undefined
        ? "not in the pipeline by itself"
        : `${steps[first]!.stage}, ${times}${around.filter((part) => part !== undefined).join(", ")}`;
    places.set(place, [...(places.get(place) ?? []), `sm_${capability}`]);
  }
  return [...places].map(([place, gpus]) => `${gpus.join(", ")}: ${place}`);
}

/** Code without the indent that all of its lines have, moved in by two. */
function indented(lines: readonly string[]): string[] {
  const least = Math.min(...lines.map((line) => line.search(/\S/)));
  return lines.map((line) => `  ${line.slice(least)}`);
}

/** What a name means, of whatever kind it is; undefined for a name of nothing. */
export function nameText(name: string): NameText | undefined {
  return passText(name) ?? codeText(name);
}

/** The meaning of the code of a remark or diagnostic. */
function codeText(code: string): NameText | undefined {
  const text =
    explainRemark(code) ??
    explain(
      code,
      (name) => new Context(ALL_DIALECTS).ops.get(name)?.summary,
      (flag) => PASSES.get(flag)?.summary,
    );
  return text === undefined ? undefined : { title: code, lines: [text] };
}

/** All names that have an explanation, by kind. */
export function explainedNames(): Readonly<Record<string, readonly string[]>> {
  return { passes: Object.keys(PASS_TEXTS), "codes of remarks": Object.keys(REMARK_CODES), "codes of diagnostics": Object.keys(CATALOGUE) };
}

/**
 * The meaning of names that the tool prints: passes, ops, encodings, instructions, and the codes of remarks and diagnostics.
 * A text is found by its name; definitions add what they know themselves (options, operands, the upstream file).
 */

import { defaultOptions } from "../../backend/targets.js";
import { pipelineOf } from "../../compile/compile.js";
import { CATALOGUE, explain } from "../../diagnostics/catalogue.js";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { Context } from "../../ir/context.js";
import type { NamedValueSpec } from "../../ir/define-op.js";
import type { Encoding } from "../../layout/encodings/encoding.js";
import { ENCODINGS } from "../../layout/encodings/index.js";
import type { PassDef } from "../../pass/define-pass.js";
import { optionText } from "../../pass/options.js";
import { explainRemark, REMARK_CODES } from "../../pass/remark.js";
import { PASSES } from "../../passes/index.js";
import { byName } from "../../support/by-name.js";
import { memo } from "../../support/memo.js";
import { typeDrawing } from "../parse-layout.js";
import { AMD_INSTRUCTIONS, amdInstruction } from "./amd-instructions.js";
import { ATTRIBUTE_TEXTS, ENCODING_TEXTS, TYPE_TEXTS } from "./attributes.js";
import { FIGURES } from "./figures.js";
import { amdFragmentsOf, type Fragment, fragmentsOf } from "./fragments.js";
import { INSTRUCTIONS, MODIFIERS } from "./instructions.js";
import { textOfOp } from "./ops/index.js";
import EXAMPLES from "./pass-examples.json" with { type: "json" };
import { PASS_TEXTS } from "./passes/index.js";
import { OLDER_PASSES } from "./passes/older.js";
import type { InstructionText } from "./records.js";

/** A name explained. A line that begins with a space is code or a drawing, and is not to be broken; the others are paragraphs. */
export interface NameText {
  readonly title: string;
  readonly lines: readonly string[];
}

/** The GPUs whose pipelines are named, by vendor: of NVIDIA's one of each kind of tensor core, of AMD's one of each pipeline. */
const GENERATIONS = [
  ["cuda:80", "cuda:90", "cuda:100"],
  ["hip:gfx942", "hip:gfx950"],
];

/** The pass of a flag, of its class upstream, or of the end of a flag that only one has (`coalesce`). */
export function passNamed(name: string): PassDef | undefined {
  const shown = [...PASSES.values()].filter((pass) => !pass.testOnly);
  const exact = shown.find((pass) => pass.flag === name || pass.name === name);
  if (exact) return exact;
  const ends = shown.filter(({ flag }) => flag.endsWith(`-${name.toLowerCase()}`));
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

/** A pass of Triton 2.0 that is there no more, by its flag or class. */
function olderPassText(name: string): NameText | undefined {
  const flag = Object.keys(OLDER_PASSES).find((flag) => flag === name || OLDER_PASSES[flag]!.name === name);
  const pass = flag === undefined ? undefined : OLDER_PASSES[flag]!;
  return pass && { title: `${flag} (${pass.name}), a pass of Triton 2.0`, lines: [pass.text, "", `Today: ${pass.today.join(", ")}.`] };
}

/**
 * Where the pipelines of the generations of GPUs run a pass; those that run it at the same place are named together. A vendor none of
 * whose pipelines runs it is left out where another's does.
 */
function placesOf(flag: string): string[] {
  const found = GENERATIONS.map((targets) => targets.map((target) => [target, placeIn(target, flag)] as const));
  const running = found.filter((vendor) => vendor.some(([, place]) => place !== undefined));
  const places = new Map<string, string[]>();
  for (const [target, place = "not in the pipeline by itself"] of (running.length > 0 ? running : found).flat())
    places.set(place, [...(places.get(place) ?? []), target.replace("cuda:", "sm_").replace("hip:", "")]);
  return [...places].map(([place, gpus]) => `${gpus.join(", ")}: ${place}`);
}
function placeIn(target: string, flag: string): string | undefined {
  const steps = pipelineOf({ target, options: defaultOptions(target) });
  const runs = steps.flatMap((step, i) => (step.flag === flag ? [i] : []));
  const [first] = runs;
  if (first === undefined) return undefined;
  const [previous, next] = [steps[first - 1], steps[first + 1]];
  const around = [previous && `after ${previous.flag}`, next && `before ${next.flag}`];
  const times = runs.length === 1 ? "" : `${runs.length} times, first `;
  return `${steps[first]!.stage}, ${times}${around.filter((part) => part !== undefined).join(", ")}`;
}

/** Code without the indent that all of its lines have, moved in by two. */
function indented(lines: readonly string[]): string[] {
  const least = Math.min(...lines.map((line) => line.search(/\S/)));
  return lines.map((line) => `  ${line.slice(least)}`);
}

/** An op in words, by its name with or without the dialect; undefined for a name that no op has. */
export function opText(name: string): NameText | undefined {
  const [whole = name, ...others] = OPS().has(name) ? [name] : opsCalled(name);
  const def = OPS().get(whole);
  const text = textOfOp(whole);
  if (!def || !text) return undefined;
  const values = (title: string, specs: readonly NamedValueSpec[]): string[] =>
    specs.length === 0
      ? []
      : [`${title}:`, ...specs.map(({ name, arity, constraint }) => `  ${name.padEnd(16)} ${ARITIES[arity]}${constraint.description}`)];
  const { becomes } = text;
  return {
    title: def.name,
    lines: [
      text.meaning,
      "",
      ...values("Operands", def.operands),
      ...(def.attrs.length === 0 ? [] : ["Attributes:"]),
      ...def.attrs.map(({ name, optional, constraint }) => `  ${name.padEnd(16)} ${optional ? "optional " : ""}${constraint.description}`),
      ...values("Results", def.results),
      ...(def.operands.length + def.attrs.length + def.results.length === 0 ? [] : [""]),
      ...(typeof becomes === "string"
        ? [`It becomes: ${becomes}`]
        : ["It becomes:", ...Object.entries(becomes).map(([where, what]) => `  ${where}: ${what}`)]),
      "",
      "As the code of a diagnostic it says that a rule of this op is broken.",
      ...(others.length === 0 ? [] : [`Also: ${others.join(", ")}.`]),
    ],
  };
}
/** The ops of a name without its dialect, Triton's first. */
function opsCalled(mnemonic: string): string[] {
  const rank = (op: string): number => (op === `tt.${mnemonic}` ? 0 : op === `ttg.${mnemonic}` ? 1 : 2);
  return [...OPS().keys()].filter((op) => op.endsWith(`.${mnemonic}`)).sort((a, b) => rank(a) - rank(b));
}
const OPS = memo(() => new Context(ALL_DIALECTS).ops);
const ARITIES = { single: "", optional: "optional ", variadic: "any number of " };

/** A layout encoding, an attribute or a type in words. `#ttg.`, `!tt.` and the like may be left out. Names before Triton 3.2 are those of today. */
export function attributeText(name: string): NameText | undefined {
  const plain = name.replace(/^[#!]/, "");
  return (
    attributeOfToday(plain) ?? attributeOfToday(plain.replace(/^triton_gpu\./, "ttg.").replace(/\w+$/, (kind) => OLDER_KINDS[kind] ?? kind))
  );
}
const OLDER_KINDS: Readonly<Record<string, string>> = byName({ mma: "nvidia_mma", shared: "swizzled_shared", blocked_layout: "blocked" });

function attributeOfToday(plain: string): NameText | undefined {
  const encoding = (Object.values(ENCODINGS) as readonly Encoding[]).find(
    ({ kind, dialect }) => plain === kind || plain === `${dialect}.${kind}`,
  );
  if (encoding) return encodingText(encoding);
  const text = own(TYPE_TEXTS, plain) ?? own(ATTRIBUTE_TEXTS, plain);
  return text === undefined ? undefined : { title: plain, lines: [text] };
}

function encodingText({ kind, dialect, what, fields }: Encoding): NameText {
  const { use, example } = ENCODING_TEXTS[kind]!;
  return {
    title: `#${dialect}.${kind}: ${what}`,
    lines: [
      use,
      "",
      "Fields:",
      ...fields.map(
        (field) => `  ${field.name.padEnd(20)} ${field.what}${field.default === undefined ? "" : ` (default: ${field.default})`}`,
      ),
      "",
      "An example:",
      `  ${example}`,
      ...drawing(example),
    ],
  };
}

const drawing = (type: string): string[] => typeDrawing(type).map((line) => `  ${line}`);

/** An instruction of PTX in words, of a whole mnemonic (`ld.global.v4.b32`) or a part of it, or one of AMD's. */
export function instructionText(mnemonic: string): NameText | undefined {
  const amd = amdInstruction(mnemonic);
  if (amd) {
    const { meaning, parts } = amd;
    return { title: mnemonic, lines: [meaning, ...(parts.length === 0 ? [] : ["", ...parts]), ...fragmentLines(amdFragmentsOf(mnemonic))] };
  }
  const [opcode = "", ...given] = mnemonic.replace(/^@!?%?\w+\s+/, "").split(".");
  const fits = INSTRUCTIONS.filter(({ name }) => {
    const [own, ...parts] = name.split(".");
    return own === opcode && parts.every((part) => given.some((modifier) => modifier === part || modifier.startsWith(`${part}::`)));
  });
  const found = fits.sort((a, b) => b.name.split(".").length - a.name.split(".").length)[0];
  if (!found) return undefined;
  const modifiers = [...new Set(given)].flatMap((modifier) => {
    const meaning = found.name.split(".").includes(modifier) ? undefined : MODIFIERS.find(([pattern]) => pattern.test(modifier))?.[1];
    return meaning === undefined ? [] : [`  .${modifier.padEnd(16)} ${meaning}`];
  });
  return {
    title: mnemonic,
    lines: [
      found.meaning,
      "",
      `Operands: ${found.operands}`,
      ...(modifiers.length === 0 ? [] : ["Modifiers:", ...modifiers]),
      ...(found.since === undefined ? [] : [`It is there from sm_${found.since} on.`]),
      `PTX ISA: ${sectionOf(found, given)}: ${found.name}`,
      ...fragmentLines(fragmentsOf(found.name, given)),
    ],
  };
}

const fragmentLines = (fragments: readonly Fragment[]): string[] =>
  fragments.flatMap(({ title, type }) => ["", `${title} (T4:1 is lane 4, register element 1):`, ...drawing(type)]);

/** The chapter of an instruction: those that integers and floats share are in two. */
function sectionOf({ section }: InstructionText, modifiers: readonly string[]): string {
  if (!section.startsWith("Integer")) return section;
  if (modifiers.some((part) => /^b?f16/.test(part))) return "Half Precision Floating Point Instructions";
  return modifiers.some((part) => /^f\d/.test(part)) ? "Floating Point Instructions" : section;
}

/** The text of a name of any kind; undefined for an unknown name. */
export function nameText(name: string): NameText | undefined {
  const given = figureText(name) ?? passText(name) ?? olderPassText(name) ?? (OPS().has(name) ? opText(name) : attributeText(name));
  return given ?? codeText(name) ?? instructionText(name) ?? opText(name);
}

function figureText(name: string): NameText | undefined {
  if (!Object.hasOwn(FIGURES, name)) return undefined;
  const { title, lines } = FIGURES[name]!;
  return { title, lines: lines() };
}

/** The meaning of the code of a remark or diagnostic. */
function codeText(code: string): NameText | undefined {
  const text =
    explainRemark(code) ??
    explain(
      code,
      () => undefined,
      (flag) => PASSES.get(flag)?.summary,
    );
  return text === undefined ? undefined : { title: code, lines: [text] };
}

/** All names that have an explanation, by kind. */
export function explainedNames(): Readonly<Record<string, readonly string[]>> {
  return {
    figures: Object.keys(FIGURES),
    passes: Object.keys(PASS_TEXTS),
    ops: [...OPS().keys()],
    encodings: (Object.values(ENCODINGS) as readonly Encoding[]).map(({ dialect, kind }) => `${dialect}.${kind}`),
    types: Object.keys(TYPE_TEXTS),
    attributes: Object.keys(ATTRIBUTE_TEXTS),
    instructions: [...INSTRUCTIONS.map(({ name }) => name), ...AMD_INSTRUCTIONS.map(({ begins }) => begins)],
    "codes of remarks": Object.keys(REMARK_CODES),
    "codes of diagnostics": Object.keys(CATALOGUE),
  };
}

const own = (texts: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(texts, name) ? texts[name] : undefined;

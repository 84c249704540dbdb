/**
 * Tours: a kernel, and steps that say what to look at and why. A tour is a JSON file, `NAME.tour.json`, so that others can write one for a
 * kernel or a course of theirs. `schemas/tour.json` is its schema.
 */
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { renderDiagnostic } from "../diagnostics/render.js";
import { SourceBuffer } from "../diagnostics/source.js";
import { nearestText } from "../support/nearest.js";
import { type Json, parsePositionedJson } from "../support/positioned-json.js";

/** A lesson: a kernel, and places in its compilation with what to see there. */
export interface Tour {
  readonly title: string;
  /** The lesson, in a sentence. */
  readonly about: string;
  /** The file of the kernel, beside the tour's own. */
  readonly kernel: string;
  /** Options of `tt-step` for the kernel. */
  readonly options: readonly string[];
  readonly steps: readonly TourStep[];
}

/** One step. With neither a state nor a command it is text to read. */
export interface TourStep {
  readonly title: string;
  readonly text: string;
  /** Keys that get there from the step before, with spaces between: `:coalesce enter 2`. */
  readonly keys: string;
  /** The state of the screen that the step waits for, in the words of `--open`; empty for none. */
  readonly state: string;
  /** A command line of one of the four programs, whose output the step shows; `KERNEL` in it is the kernel. Empty for none. */
  readonly command: string;
  /** Said when the step's state is reached. */
  readonly seen: string;
}

const TEXT_OF_STEP = {
  title: "the step in a few words",
  text: "what to look at, and why",
  keys: "keys that get there from the step before, with spaces between: ':coalesce enter 2'",
  state: "the state of the screen that the step waits for, as tt-step --open names it: 'pass=coalesce,op=tt.load,focus=layout'",
  command: "a command line of tt-step, tt-opt, triton-tensor-layout or cute-layout, whose output is shown; KERNEL in it is the kernel",
  seen: "said when the state is reached or the output is shown",
} as const satisfies Record<keyof TourStep, string>;
const STEP_KEYS = Object.keys(TEXT_OF_STEP) as (keyof TourStep)[];

const TEXT_OF_TOUR = {
  $schema: "this schema",
  title: "the tour in a few words",
  about: "what one knows after it, in a sentence",
  kernel: "the file of the kernel, relative to the tour's own",
  options: "options of tt-step for the kernel: ['--target', 'cuda:90']",
  steps: "the steps in order",
} as const;

/** The JSON schema of a tour, as it is kept in `schemas/tour.json`. */
export function tourSchema(): unknown {
  const text = (description: string) => ({ description, type: "string" });
  const { $schema, options, steps, ...texts } = TEXT_OF_TOUR;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "a tour of tt-step learn",
    type: "object",
    additionalProperties: false,
    required: ["title", "kernel", "steps"],
    properties: {
      $schema: text($schema),
      ...Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, text(value)])),
      options: { description: options, type: "array", items: { type: "string" } },
      steps: {
        description: steps,
        type: "array",
        minItems: 1,
        items: {
          type: "object",
          additionalProperties: false,
          required: ["title", "text"],
          properties: Object.fromEntries(STEP_KEYS.map((key) => [key, text(TEXT_OF_STEP[key])])),
        },
      },
    },
  };
}

/** Reads a tour; `error` is a rendered diagnostic with the place in the file. */
export function readTour(path: string, text: string): Tour | { readonly error: string } {
  const refuse = (offset: number, message: string): { readonly error: string } => {
    const source = new SourceBuffer(path, text, 0);
    const diagnostic: Diagnostic = { severity: "error", code: "tour.file", message, position: source.position(offset), notes: [] };
    return { error: renderDiagnostic(diagnostic, [source]) };
  };
  const json = parsePositionedJson(text);
  if ("error" in json) return refuse(json.offset, json.error);
  const problem = problemOf(json.value);
  if (problem) return refuse(json.at.get(problem.path) ?? json.at.get(problem.path.replace(/\.[^.]*$/, "")) ?? 0, problem.message);
  const { title, about = "", kernel, options = [], steps } = json.value as unknown as Tour;
  const empty = Object.fromEntries(STEP_KEYS.map((key) => [key, ""])) as unknown as TourStep;
  return { title, about, kernel, options, steps: steps.map((step) => ({ ...empty, ...step })) };
}

type Problem = { readonly path: string; readonly message: string };
const isRecord = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function problemOf(tour: Json): Problem | undefined {
  if (!isRecord(tour)) return { path: "", message: 'expected an object: { "title": ..., "kernel": ..., "steps": [...] }' };
  const { options, steps } = tour;
  const texts = textProblem(tour, "", Object.keys(TEXT_OF_TOUR), ["title", "kernel"], ["options", "steps"]);
  if (texts) return texts;
  if (options !== undefined && !(Array.isArray(options) && options.every((word) => typeof word === "string")))
    return { path: "options", message: "expected a list of words: ['--target', 'cuda:90']" };
  if (!Array.isArray(steps) || steps.length === 0) return { path: "steps", message: "expected a list of one step at least" };
  for (const [i, step] of (steps as readonly Json[]).entries()) {
    const path = `steps.${i}`;
    if (!isRecord(step)) return { path, message: 'expected a step: { "title": ..., "text": ... }' };
    const problem = textProblem(step, `${path}.`, STEP_KEYS, ["title", "text"], []);
    if (problem) return problem;
    if (step["state"] && step["command"])
      return { path: `${path}.command`, message: "a step waits for a state or shows a command, not both" };
  }
  return undefined;
}

/** The first key that is not known, is missing, or whose value is no text. */
function textProblem(
  object: { readonly [key: string]: Json },
  prefix: string,
  known: readonly string[],
  required: readonly string[],
  others: readonly string[],
): Problem | undefined {
  for (const key of Object.keys(object)) {
    if (!known.includes(key)) return { path: `${prefix}${key}:`, message: `there is no key '${key}' here${nearestText(key, known)}` };
    if (!others.includes(key) && typeof object[key] !== "string") return { path: prefix + key, message: "expected a text" };
  }
  const missing = required.find((key) => !object[key]);
  return missing === undefined ? undefined : { path: prefix + missing, message: `'${missing}' is missing` };
}

/** The keys of a step one by one: names of keys stay, other words are typed. */
export function keysTyped(keys: string): readonly string[] {
  return keys
    .split(" ")
    .filter((word) => word !== "")
    .flatMap((word) => (NAMED.test(word) ? [word] : [...word]));
}
const NAMED = /^(?:ctrl\+[a-z]|shift\+tab|up|down|left|right|home|end|pgup|pgdn|tab|enter|space|esc|backspace)$/;

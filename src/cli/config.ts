/**
 * The user's configuration of the terminal UI, `$XDG_CONFIG_HOME/tt-step/config.json`: keys, theme, defaults. Its schema is
 * made from the same tables as the UI, and is in `schemas/config.json`. One-shot commands do not read it: what they
 * print depends on their arguments alone.
 */

import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { renderDiagnostic } from "../diagnostics/render.js";
import { SourceBuffer } from "../diagnostics/source.js";
import { nearest } from "../support/nearest.js";
import { type Json, parsePositionedJson } from "../support/positioned-json.js";
import { fromBytes } from "../support/utf8.js";
import { COMMAND_IDS, COMMANDS, type CommandId, keysOf } from "../tui/keymap.js";
import type { Io } from "./io.js";
import { STEP } from "./options/step.js";
import { type Setting, settingsProblem } from "./tt-step-args.js";

export interface Config {
  readonly keys: Readonly<Partial<Record<CommandId, readonly string[]>>>;
  /** Options of the command line, which come before those that are given. */
  readonly options: readonly string[];
}

const KEY = "(?:ctrl\\+[a-z]|shift\\+tab|up|down|left|right|home|end|pgup|pgdn|tab|enter|space|esc|backspace|delete|\\S)";
/** Keys of one command. */
const MAX_KEYS = 32;
const KEYS = `^${KEY}(?: ${KEY})*$`;
const THEMES = STEP.theme.type.values!;
const SETTINGS = ["$schema", "theme", "mouse", "keys", "defaults"] as const;

/** The JSON schema of the file, as it is kept in `schemas/config.json`. */
export function configSchema(): unknown {
  const keys = (id: CommandId) => ({
    description: COMMANDS[id].title,
    default: COMMANDS[id].keys,
    anyOf: [{ $ref: "#/$defs/key" }, { type: "array", items: { $ref: "#/$defs/key" }, minItems: 1, maxItems: MAX_KEYS }],
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "tt-step's config.json",
    type: "object",
    additionalProperties: false,
    properties: {
      $schema: { type: "string" },
      theme: { description: "colours of the terminal UI", enum: THEMES },
      mouse: { description: "whether the terminal UI takes the mouse", type: "boolean" },
      keys: {
        description: "keys of commands, in place of the default ones",
        type: "object",
        additionalProperties: false,
        properties: Object.fromEntries(COMMAND_IDS.map((id) => [id, keys(id)])),
      },
      defaults: {
        description: 'options of tt-step by their long names, as if given before the others: { "target": "cuda:90", "num-warps": 8 }',
        type: "object",
        additionalProperties: { type: ["string", "number", "boolean"] },
      },
    },
    $defs: { key: { description: "a key, or keys one after the other with spaces between", type: "string", pattern: KEYS } },
  };
}

/** Where the file is looked for; undefined where neither XDG_CONFIG_HOME nor HOME is set. */
export function configPath(env: Io["env"]): string | undefined {
  const folder = env["XDG_CONFIG_HOME"] || (env["HOME"] && `${env["HOME"]}/.config`);
  return folder ? `${folder}/tt-step/config.json` : undefined;
}

/** Reads the file; none is an empty one. `error` is a rendered diagnostic. */
export function readConfig(io: Pick<Io, "env" | "readFile">): Config | { readonly error: string } {
  const path = configPath(io.env);
  if (path === undefined) return parseConfig("", "{}");
  let text: string;
  try {
    text = fromBytes(io.readFile(path));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? parseConfig(path, "{}") : { error: `tt-step: cannot read '${path}': ${message}\n` };
  }
  return parseConfig(path, text.replace(/^\ufeff/, ""));
}

/** The configuration that a text holds. */
export function parseConfig(path: string, text: string): Config | { readonly error: string } {
  const refuse = (offset: number, message: string): { readonly error: string } => {
    const before = text.slice(0, offset).split("\n");
    const position = { file: path, line: before.length, column: before.at(-1)!.length + 1 };
    const diagnostic: Diagnostic = { severity: "error", code: "config.setting", message, position, notes: [] };
    return { error: renderDiagnostic(diagnostic, [new SourceBuffer(path, text, 0)]) };
  };
  const json = parsePositionedJson(text);
  if ("error" in json) return refuse(json.offset, json.error);
  const { value, at } = json;
  if (!isRecord(value)) return refuse(0, 'expected an object: { "theme": "light" }');
  const problem = problemOf(value);
  if (problem) return refuse(at.get(problem.path) ?? 0, problem.message);
  const list = (keys: Json): readonly string[] => (typeof keys === "string" ? [keys] : (keys as readonly string[]));
  return {
    keys: Object.fromEntries(Object.entries(value["keys"] ?? {}).map(([id, keys]) => [id, list(keys as Json)])),
    options: typedOptions(value),
  };
}

type Problem = { readonly path: string; readonly message: string };
const isRecord = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const meant = (word: string, known: readonly string[]): string => {
  const near = nearest(word, known);
  return near === undefined ? "" : `; did you mean '${near}'?`;
};

function problemOf(config: { readonly [key: string]: Json }): Problem | undefined {
  for (const name of Object.keys(config))
    if (!(SETTINGS as readonly string[]).includes(name))
      return { path: `${name}:`, message: `no setting is called '${name}'${meant(name, SETTINGS)}` };
  const { theme, mouse, keys, defaults } = config;
  if (theme !== undefined && !(THEMES as readonly Json[]).includes(theme))
    return { path: "theme", message: "expected dark, light or none" };
  if (mouse !== undefined && typeof mouse !== "boolean") return { path: "mouse", message: "expected true or false" };
  if (keys !== undefined && !isRecord(keys)) return { path: "keys", message: 'expected an object: { "quit": "Q" }' };
  if (defaults !== undefined && !isRecord(defaults)) return { path: "defaults", message: 'expected an object: { "num-warps": 8 }' };
  return keyProblem(keys ?? {}) ?? defaultsProblem(defaults);
}

function keyProblem(keys: { readonly [id: string]: Json }): Problem | undefined {
  const pattern = new RegExp(KEYS, "u");
  for (const [id, given] of Object.entries(keys)) {
    if (!Object.hasOwn(COMMANDS, id)) return { path: `keys.${id}:`, message: `no command is called '${id}'${meant(id, COMMAND_IDS)}` };
    const list: readonly Json[] = Array.isArray(given) ? (given as readonly Json[]) : [given];
    if (list.length === 0) return { path: `keys.${id}`, message: "a command has one key at least" };
    if (list.length > MAX_KEYS) return { path: `keys.${id}`, message: `a command has ${MAX_KEYS} keys at most` };
    for (const key of list)
      if (typeof key !== "string" || !pattern.test(key))
        return { path: `keys.${id}`, message: "expected a key, as 'x', 'ctrl+x', 'pgdn' or 'g d', or a list of them" };
  }
  const user = Object.fromEntries(Object.entries(keys).map(([id, given]) => [id, (Array.isArray(given) ? given : [given]) as string[]]));
  const taken = COMMAND_IDS.flatMap((id) => keysOf(id, user).map((key) => ({ id, key })));
  for (const id of Object.keys(user))
    for (const key of user[id]!) {
      const other = taken.find((t) => t.id !== id && (t.key === key || t.key.startsWith(`${key} `) || key.startsWith(`${t.key} `)));
      if (other)
        return {
          path: `keys.${id}`,
          message: `'${key}' is in the way of '${other.key}', a key of '${other.id}': give that one other keys too`,
        };
    }
  return undefined;
}

function defaultsProblem(defaults: Json | undefined): Problem | undefined {
  const settings = Object.entries(defaults ?? {}).map(
    ([name, value]): Setting => [name, typeof value === "boolean" ? value : String(value)],
  );
  for (const setting of settings) {
    const message = settingsProblem([setting]);
    if (message !== undefined) return { path: `defaults.${setting[0]}`, message };
  }
  const message = settingsProblem(settings);
  return message === undefined ? undefined : { path: "defaults", message };
}

/** Settings as they would be typed before the other options. */
function typedOptions(config: { readonly [key: string]: Json }): readonly string[] {
  const { theme, mouse, defaults } = config;
  const own = [...(theme === undefined ? [] : [["theme", theme] as const]), ...(mouse === undefined ? [] : [["mouse", mouse] as const])];
  return [...own, ...Object.entries(defaults ?? {})].map(([name, value]) =>
    value === true ? `--${name}` : value === false ? `--no-${name}` : `--${name}=${String(value)}`,
  );
}

/** From what the user says of a kernel's arguments, and what its file says, to what is compiled. */
import { nearest } from "../support/nearest.js";
import { shellWord } from "../support/shell-word.js";
import type { CommentSetting } from "./kernel-comment.js";
import type { ArgumentSpec, Guess, KernelConfig, KernelInfo, KernelParameter, Specialization, TypeSpec } from "./request.js";
import { parseArgument, parseSignature } from "./signature.js";

/** The kernel and the arguments that the command line gives. */
export interface GivenArguments {
  readonly kernel: string | undefined;
  readonly signature: string | undefined;
  /** `name=*fp16:16` */
  readonly types: readonly string[];
  /** `NAME=<Python literal>` */
  readonly constants: readonly string[];
  /** Which autotune configuration, from 0. */
  readonly config: number | undefined;
  /** Whether types and values that nobody states are guessed. */
  readonly guess?: boolean;
  /** The command line that errors propose; `tt-step FILE --kernel ...` unless given. */
  readonly commandLine?: (file: string, proposal: Proposal) => string;
}

/** The arguments of a kernel as they are known or guessed: what a form begins with. */
export interface Proposal {
  readonly kernel: string;
  /** The 1-based line of its first decorator. */
  readonly line: number;
  /** The autotune configuration, where there are several. */
  readonly config: number | undefined;
  readonly entries: readonly ProposedEntry[];
  /** `num_warps` and its like, as the launch in the file states them. */
  readonly options: ReadonlyMap<string, string>;
  /** The same and `target`, as the comment or the configuration states them: they come first. */
  readonly stated: ReadonlyMap<string, string>;
}
export interface ProposedEntry {
  readonly name: string;
  readonly isConstexpr: boolean;
  /** As in a signature; `constexpr` where something else computes the value. */
  readonly text: string;
  /** `stated`: by the user, in the comment or as a default. */
  readonly from: "stated" | "configuration" | "heuristic" | Guess["from"];
}

interface Refusal {
  readonly error: string;
  /** The choices that would resolve the error. */
  readonly choices?: Choices;
  /** The missing entries, with a proposal for each. */
  readonly proposal?: Proposal;
}

/** Alternatives of which the user chooses one. */
export interface Choices {
  readonly title: string;
  readonly items: readonly {
    readonly text: string;
    readonly given: Partial<GivenArguments>;
    /** A kernel whose arguments a comment or a capture states. */
    readonly isStated?: boolean;
    /** The file that it is in, where the input is a folder. */
    readonly path?: string;
    /** A target and options, as in a comment; a folder with Triton's own stages. */
    readonly settings?: readonly CommentSetting[];
    readonly against?: string;
  }[];
}

/** The kernel asked for, or the only one, or the only one with settings above it; else what there is to choose from. */
export function chooseKernel(
  kernels: readonly KernelInfo[],
  name: string | undefined,
  file: string,
  hasSettings: (kernel: KernelInfo) => boolean = () => false,
  inner: () => ReadonlyMap<string, string> = () => new Map(),
): KernelInfo | Refusal {
  const found = kernels.find((k) => k.name === name);
  if (found) return found;
  if (kernels.length === 0 || (name !== undefined && inner().has(name))) {
    const [hidden = "", around] = [...inner()].find(([one]) => name === undefined || one === name) ?? [];
    if (around === undefined) return { error: `'${file}' has no function under @triton.jit` };
    return { error: `'${file}' defines '${hidden}' when '${around}' is called: give what it returns a name at module level` };
  }
  if (name === undefined) {
    const [only, ...others] = kernels.length === 1 ? kernels : kernels.filter(hasSettings);
    if (only && others.length === 0) return only;
    return {
      error: `'${file}' has ${kernels.length} kernels; choose one with --kernel:\n${kernels.map((k) => `  ${head(k)}`).join("\n")}`,
      choices: {
        title: "kernels",
        items: kernels.map((k) => ({ text: head(k), given: { kernel: k.name }, ...(hasSettings(k) && { isStated: true }) })),
      },
    };
  }
  const names = kernels.map((k) => k.name);
  const near = nearest(name, names);
  return { error: `'${file}' has no kernel '${name}'${near ? `; did you mean '${near}'?` : `; it has ${names.join(", ")}`}` };
}

/** `add(x_ptr, y_ptr, n, BLOCK: tl.constexpr)` */
function head({ name, parameters }: KernelInfo): string {
  return `${name}(${parameters.map((p) => p.name + (p.isConstexpr ? ": tl.constexpr" : "")).join(", ")})`;
}

/** A kernel's specialization, the autotune configuration that is part of it, and the comment's settings that are not for arguments. */
export interface Specialized {
  readonly specialization: Specialization;
  readonly config: KernelConfig | undefined;
  readonly options: readonly CommentSetting[];
  /** All arguments, as a form shows them. */
  readonly proposal: Proposal;
  /** Those that were guessed. */
  readonly guessed: readonly ProposedEntry[];
}

/**
 * A setting for an argument by name comes before the signature, both before the comment above the kernel, that before the
 * autotune configuration, and that before the default in the `def`.
 */
export function specialize(
  kernel: KernelInfo,
  given: GivenArguments,
  comment: readonly CommentSetting[],
  file = "FILE",
): Specialized | Refusal {
  const { parameters } = kernel;
  const isParameter = (key: string) => parameters.some((p) => p.name === key);
  const setting = (key: string) => comment.find((c) => c.key === key && !isParameter(key))?.value;
  const entries = new Map<string, ArgumentSpec>();

  const signatures = [given.signature, setting("signature")];
  for (const signature of signatures.filter((s) => s !== undefined).slice(0, 1)) {
    const refused = addSignature(signature, kernel, entries);
    if (refused) return refused;
  }
  const named = [
    ...comment.filter((c) => isParameter(c.key)).map((c) => ({ ...c, read: argument })),
    ...given.types.map((text) => ({ ...assignment(text), read: parseArgument })),
    ...given.constants.map((text) => ({ ...assignment(text), read: constant })),
  ];
  for (const { key, value, read } of named) {
    if (!isParameter(key)) return unknownParameter(kernel, key);
    // A comment gives way to the command line's signature.
    if (read === argument && given.signature !== undefined && entries.has(key)) continue;
    const entry = read(value);
    if ("error" in entry) return { error: `argument '${key}': ${entry.error}` };
    entries.set(key, entry);
  }

  const number = given.config ?? (setting("config") === undefined ? undefined : Number(setting("config")));
  const propose = (n: number | undefined): Proposal => proposalOf(kernel, entries, n, comment);
  const command = (proposal: Proposal): string => (given.commandLine ?? commandOf)(file, proposal);
  const config = chooseConfig(kernel, number ?? (given.guess && kernel.configs.length > 1 ? 0 : undefined), entries, (n) =>
    command(propose(n)),
  );
  if (config && "error" in config) return config;
  for (const [key, expression] of config?.constants ?? []) if (!entries.has(key)) entries.set(key, { kind: "constant", expression });
  for (const p of parameters)
    if (!entries.has(p.name) && p.defaultText !== undefined && !kernel.heuristics.includes(p.name)) entries.set(p.name, ofDefault(p));
  const missing = parameters.filter((p) => !entries.has(p.name) && !kernel.heuristics.includes(p.name));
  const proposal = propose(config && kernel.configs.indexOf(config));
  if (missing.length > 0 && !given.guess) return { error: missingText(kernel, missing, proposal, command(proposal)), proposal };
  const guessed = proposal.entries.filter(({ name }) => missing.some((p) => p.name === name));
  for (const { name, text } of guessed) {
    const entry = argument(text);
    if ("error" in entry) return { error: `argument '${name}': ${entry.error}` };
    entries.set(name, entry);
  }

  const launched = guessed.length === 0 ? [] : [...proposal.options].map(([key, value]) => ({ key, value }));
  const stated = comment.filter((c) => !isParameter(c.key) && !["signature", "config", "define"].includes(c.key));
  const options = [...launched.filter(({ key }) => !stated.some((c) => c.key === key)), ...stated];
  return { specialization: { ...toSpecialization(kernel, entries), guess: given.guess === true }, config, options, proposal, guessed };
}

// --- reading ---------------------------------------------------------------------------------------

function addSignature(text: string, { name, parameters }: KernelInfo, entries: Map<string, ArgumentSpec>): Refusal | undefined {
  const read = parseSignature(text);
  if ("error" in read) return { error: `--signature: ${read.error}` };
  if (read.length > parameters.length)
    return {
      error: `--signature has ${read.length} entries, but '${name}' has ${parameters.length} parameters: ${parameters.map((p) => p.name).join(", ")}`,
    };
  for (const [i, entry] of read.entries()) {
    const isOpen = entry.kind === "type" && entry.type === "constexpr";
    if (!isOpen) entries.set(parameters[i]!.name, entry);
  }
  return undefined;
}

function assignment(text: string): CommentSetting {
  const at = text.indexOf("=");
  return at < 0 ? { key: text.trim(), value: "" } : { key: text.slice(0, at).trim(), value: text.slice(at + 1).trim() };
}

/** A constant; a bare word is a string, as shells take quotes away. `(name)` is what the file calls so. */
function constant(text: string): ArgumentSpec | Refusal {
  if (text === "") return { error: "a value is missing; --const takes NAME=VALUE, as BLOCK=128" };
  const read = parseArgument(text);
  if (!("error" in read) && read.kind === "constant") return read;
  const isWord = /^[A-Za-z_]\w*$/.test(text);
  return { kind: "constant", expression: isWord ? JSON.stringify(text) : text };
}

/** A type or a constant, whatever it looks like. */
function argument(text: string): ArgumentSpec | Refusal {
  const read = parseArgument(text);
  return "error" in read ? constant(text) : read;
}

function unknownParameter({ name, parameters }: KernelInfo, key: string): Refusal {
  const names = parameters.map((p) => p.name);
  const near = nearest(key, names);
  return { error: `'${name}' has no parameter '${key}'${near ? `; did you mean '${near}'?` : `; it has ${names.join(", ")}`}` };
}

/** A default value as a launch specializes it: 1 and None are constants, numbers are not. Source: runtime/jit.py and specialize.cc. */
function ofDefault({ isConstexpr, specialized, defaultText }: KernelParameter): ArgumentSpec {
  const expression = defaultText!;
  if (isConstexpr) return { kind: "constant", expression };
  if (/^-?\d+$/.test(expression) && (expression !== "1" || specialized === "type")) {
    const value = BigInt(expression);
    const type = BigInt.asIntN(32, value) === value ? "i32" : "i64";
    return { kind: "type", type, divisibility: specialized === "value" && value % 16n === 0n ? 16 : undefined };
  }
  if (/^-?(?:\d+\.\d*|\.\d+|\d+(?:\.\d*)?e[-+]?\d+)$/i.test(expression)) return { kind: "type", type: "fp32", divisibility: undefined };
  if (expression === "True" || expression === "False") return { kind: "type", type: "u1", divisibility: undefined };
  return { kind: "constant", expression };
}

// --- configurations --------------------------------------------------------------------------------

function chooseConfig(
  kernel: KernelInfo,
  number: number | undefined,
  entries: Entries,
  command: (config: number) => string,
): KernelConfig | undefined | Refusal {
  const { name, configs } = kernel;
  if (number !== undefined) {
    const config = configs[number];
    if (config) return config;
    return {
      error:
        configs.length === 0
          ? (unknownConfigs(kernel) ?? `'${name}' has no autotune configurations to choose from`)
          : `there is no configuration ${number}; ${configList(kernel)}`,
    };
  }
  if (configs.length <= 1) return configs[0];
  // With every parameter of theirs given, none needs to be chosen; what else they hold is for hooks.
  const isOpen = (key: string): boolean => !entries.has(key) && kernel.parameters.some((p) => p.name === key);
  if (!configs.some((c) => [...c.constants.keys()].some(isOpen))) return undefined;
  return {
    error: `${configList(kernel)}\nchoose one with --config N, or give its constants with --const; for example\n  ${command(0)}`,
    choices: { title: "configurations", items: configs.map((c, config) => ({ text: configText(c), given: { kernel: name, config } })) },
  };
}

/** That a kernel has configurations that are not known, and why. */
export const unknownConfigs = ({ name, configsUnknown }: KernelInfo): string | undefined =>
  configsUnknown === undefined ? undefined : `the autotune configurations of '${name}' are not known: ${configsUnknown}`;

function configList({ name, configs }: KernelInfo): string {
  return `'${name}' has ${configs.length} autotune configurations:\n${configs.map((c, i) => `  ${i}: ${configText(c)}`).join("\n")}`;
}

/** A configuration as Triton prints it: `BLOCK_M: 128, num_warps: 8, num_ctas: 1, num_stages: 3, maxnreg: None`. */
export function configText({ constants, numWarps, numCtas, numStages, maxnreg }: KernelConfig): string {
  const parts = [...constants].map(([key, value]) => `${key}: ${value}`);
  return [
    ...parts,
    `num_warps: ${numWarps ?? 4}`,
    `num_ctas: ${numCtas ?? 1}`,
    `num_stages: ${numStages ?? 3}`,
    `maxnreg: ${maxnreg ?? "None"}`,
  ].join(", ");
}

// --- what is missing -------------------------------------------------------------------------------

function missingText(kernel: KernelInfo, missing: readonly KernelParameter[], { entries }: Proposal, command: string): string {
  const names = missing.map((p) => (p.isConstexpr ? `${p.name} (tl.constexpr)` : p.name)).join(", ");
  const wants = missing.every((p) => p.isConstexpr) ? "a value" : missing.some((p) => p.isConstexpr) ? "types and values" : "a type";
  const guessed = entries.filter((e) => e.from === "use").map((e) => e.name);
  const note = guessed.length === 0 ? "" : `\n(guessed from its use: ${guessed.join(", ")})`;
  const unknown = unknownConfigs(kernel);
  return `kernel '${kernel.name}' needs ${wants} for ${names}; for example\n  ${command}${note}${unknown === undefined ? "" : `\n${unknown}`}`;
}

type Entries = ReadonlyMap<string, ArgumentSpec>;

/** The given entries, and the best guess of the rest. */
function proposalOf(
  { name, line, parameters, heuristics, configs, guess }: KernelInfo,
  entries: Entries,
  config: number | undefined,
  comment: readonly CommentSetting[],
): Proposal {
  const isOpen = parameters.some((p) => !entries.has(p.name));
  const guesses = isOpen ? guess() : undefined;
  const chosen = config === undefined ? undefined : configs[config];
  const ofConfig = chosen?.constants;
  const { numWarps, numStages } = chosen ?? {};
  const stated = new Map<string, string>([
    ...(numWarps === undefined ? [] : [["num_warps", String(numWarps)] as const]),
    ...(numStages === undefined ? [] : [["num_stages", String(numStages)] as const]),
    ...comment.map(({ key, value }) => [key, value] as const),
  ]);
  const proposed = parameters.map((p): ProposedEntry => {
    const known = (text: string, from: ProposedEntry["from"]): ProposedEntry => ({ name: p.name, isConstexpr: p.isConstexpr, text, from });
    if (ofConfig?.has(p.name)) return known("constexpr", "configuration");
    const entry = entryText(entries.get(p.name));
    if (entry !== undefined) return known(entry, "stated");
    if (heuristics.includes(p.name)) return known("constexpr", "heuristic");
    const { text, from } = guesses!.entries.get(p.name)!;
    // Shells take single quotes.
    return known(text.replace(/^'([^'"\\]*)'$/, '"$1"'), from);
  });
  return {
    kernel: name,
    line,
    config: configs.length > 1 ? config : undefined,
    entries: proposed,
    options: guesses?.options ?? new Map(),
    stated,
  };
}

/** A command that compiles what is proposed. */
function commandOf(file: string, { kernel, config, entries, options }: Proposal): string {
  const chosen = config === undefined ? "" : ` --config ${config}`;
  const launched = [...options].map(([key, value]) => ` --${key.replaceAll("_", "-")} ${value}`).join("");
  return `tt-step ${shellWord(file)} --kernel ${kernel}${chosen} --signature ${shellWord(signatureOf(entries))}${launched}`;
}

/** `*fp32:16, i32, 1024` */
export const signatureOf = (entries: readonly Pick<ProposedEntry, "text">[]): string => entries.map((e) => e.text).join(", ");

function entryText(entry: ArgumentSpec | undefined): string | undefined {
  if (!entry) return undefined;
  if (entry.kind === "constant") return entry.expression;
  if (entry.kind === "tuple") return `(${entry.elements.map(entryText).join(", ")})`;
  const hint = `${entry.divisibility ?? ""}${entry.isSmall ? "S" : ""}`;
  return hint === "" ? entry.type : `${entry.type}:${hint}`;
}

// --- the result ------------------------------------------------------------------------------------

/** The attribute of a pointer whose offsets fit that many bits. */
export const POINTER_RANGE = "tt.pointer_range";

function toSpecialization({ name, parameters }: KernelInfo, entries: ReadonlyMap<string, ArgumentSpec>): Specialization {
  const constants = new Map<string, string>();
  const attrs = new Map<string, readonly (readonly [string, number])[]>();
  const typeOf = (entry: ArgumentSpec, path: string): TypeSpec => {
    if (entry.kind === "tuple") return entry.elements.map((e, i) => typeOf(e, `${path},${i}`));
    if (entry.kind === "constant") {
      constants.set(path, entry.expression);
      return "constexpr";
    }
    const hints: (readonly [string, number])[] = [];
    if (entry.divisibility !== undefined) hints.push(["tt.divisibility", entry.divisibility]);
    if (entry.isSmall) hints.push([POINTER_RANGE, 32]);
    if (hints.length > 0) attrs.set(path, hints);
    return entry.type;
  };
  // A parameter without an entry is a heuristic's.
  const signature = new Map(
    parameters.map((p, i) => [p.name, entries.has(p.name) ? typeOf(entries.get(p.name)!, String(i)) : "constexpr"]),
  );
  return { kernel: name, signature, constants, attrs };
}

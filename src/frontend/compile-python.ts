/** From a Python file to the TTIR of one of its kernels. */

import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { type Gpu, gpuCalled } from "../gpu/gpu.js";
import type { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { followTriton } from "../ir/spelling.js";
import { verifyOperation } from "../ir/verify.js";
import { isShared } from "../layout/encoding-params.js";
import { memo } from "../support/memo.js";
import { nearest } from "../support/nearest.js";
import { DEFAULT_TRITON, type TritonVersion } from "../support/triton-version.js";
import { fromBytes } from "../support/utf8.js";
import { CompilationError } from "./codegen/compilation-error.js";
import { visitExpression } from "./codegen/expressions.js";
import { type Argument, generateKernel } from "./codegen/functions.js";
import type { CodegenWarning, Compilation } from "./codegen/generator.js";
import { opHintFor } from "./codegen/hints.js";
import { Abandoned } from "./codegen/recovery.js";
import { visitStatement } from "./codegen/statements.js";
import { layoutClasses } from "./gluon/modules.js";
import { type FoundArguments, guessSignature, multipliesMatrices } from "./guess-signature.js";
import { callHost } from "./host/call.js";
import { evaluate } from "./host/evaluate.js";
import { EndlessCode, makeHost, packageFolders, runModule } from "./host/host.js";
import { moduleSearch, type SearchFiles } from "./host/module-search.js";
import { classData, type Env, type Host, type JitData, jitData, Names, type SourceFile } from "./host/objects.js";
import { choose } from "./host/undecided.js";
import { type EmbeddedKernel, embeddedKernels, inductorKernel } from "./inductor.js";
import { asPyError, PyError } from "./language/errors.js";
import { languageModules } from "./language/modules.js";
import { dictKey, pyDict, pyRepr } from "./language/python-text.js";
import type { LanguageOptions } from "./language/semantic.js";
import { isKind, isLayout, type JitFunction, type Opaque, type PyValue, tuple } from "./language/values.js";
import { lastName, walk } from "./launches.js";
import { wholeListing } from "./listing.js";
import type * as ast from "./python/ast.js";
import { parsePython } from "./python/parse.js";
import { unparse } from "./python/unparse.js";
import { diagnosticOf, position, refusal, syntaxDiagnostics, undecidedKernel, warningDiagnostic } from "./python-diagnostics.js";
import type { KernelConfig, KernelInfo, Specialization, TypeSpec } from "./request.js";
import { parseType } from "./type-text.js";

/** Access to the environment and to files beside the kernel's. */
export interface PythonHost extends SearchFiles {
  /** Environment variables that the file's own code sees. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The folder of a Triton whose library functions are used instead of our own; asked once, if the kernel uses some. */
  readonly tritonLib?: () => string | undefined;
  /** The GPU that the file's own code sees, that of cuda:80 by default: configurations may depend on it. */
  readonly gpu?: Gpu;
  /** The version of Triton that is followed. */
  readonly triton?: TritonVersion;
  /** `NAME=VALUE`: what names of the files and expressions in them are, whatever the files say. */
  readonly defines?: readonly string[];
}

export interface PythonFile {
  readonly kernels: readonly KernelInfo[];
  /** Functions under `@triton.jit` that functions define, with the name of the outermost: they exist when that is called. */
  readonly inner: () => ReadonlyMap<string, string>;
  /** For `compileKernel` alone. */
  readonly evaluated: EvaluatedFile;
}
interface EvaluatedFile {
  readonly ctx: Context;
  readonly host: Host;
  readonly source: SourceFile;
  readonly functions: ReadonlyMap<string, JitFunction>;
}

const DEFAULT_GPU = gpuCalled("cuda:80")!;

/** Bytes, one a character, as the text that they encode. */
const decode = (latin1: string): string => {
  const coding = /^(?:[ \t\f]*(?:#.*)?\n)?[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)/.exec(latin1)?.[1];
  return coding !== undefined && /^(?:latin-?1|iso-8859-1)$/i.test(coding) ? latin1 : fromBytes(latin1);
};

/** A file as Python reads it: without a byte order mark, lines end in `\n`. */
const pythonBytes = (latin1: string): string => latin1.replace(/^\xEF\xBB\xBF/, "").replace(/\r\n?/g, "\n");

/** Parses a file and evaluates its module level; undefined where that fails, and the Context's diagnostics tell why. */
export function readPython(ctx: Context, file: string, latin1: string, files: PythonHost): PythonFile | undefined {
  const bytes = pythonBytes(latin1);
  ctx.addSource(file, bytes);
  followTriton(ctx, files.triton ?? DEFAULT_TRITON);
  try {
    return evaluateFile(ctx, file, decode(bytes), files, readDefines(files.defines ?? []));
  } catch (error) {
    tellLimit(ctx, error, file);
    return undefined;
  }
}

/** Reports a bad `--define` or a file that exceeds a limit; any other error is not for the user. */
function tellLimit(ctx: Context, error: unknown, file: string): void {
  const raised = error instanceof EndlessCode ? new PyError("TimeoutError", error.message) : asPyError(error);
  if (error instanceof BadDefine) {
    ctx.diagnostics.push({ severity: "error", code: "python.define", message: `--define: ${error.message}`, notes: [] });
    return;
  }
  if (!raised) throw error;
  const { file: other = file, at = undefined } = error instanceof EndlessCode ? error : {};
  const place = position(at && { file: other, line: at.line, column: at.col + 1 });
  const message =
    raised.kind === "TimeoutError"
      ? raised.message
      : `${raised.kind}: ${raised.message}${raised.kind === "RecursionError" ? ` in '${file}'` : ""}`;
  ctx.diagnostics.push({ severity: "error", code: "python.error", message, ...place, notes: [] });
}

/** Python literals by the names that `--define` gives them to. */
function readDefines(texts: readonly string[]): ReadonlyMap<string, PyValue> {
  return new Map(
    texts.map((text) => {
      const [, name, value] = /^\s*([\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*(?:\(.*\))?)\s*=\s*(.*?)\s*$/su.exec(text) ?? [];
      if (name === undefined || value === undefined || value === "")
        throw new BadDefine(`expects NAME=VALUE, as FLAG=False, not '${text}'`);
      return [expressionText(name), literalValue(value)] as const;
    }),
  );
}
class BadDefine extends Error {}

/** An expression as its nodes are looked up. */
function expressionText(text: string): string {
  const parsed = parsePython(text, "<define>");
  const [statement] = parsed.kind === "Module" ? parsed.body : [];
  return statement?.kind === "Expr" ? unparse(statement.value) : text;
}

function literalValue(text: string): PyValue {
  const parsed = parsePython(text, "<define>");
  const [statement, ...more] = parsed.kind === "Module" ? parsed.body : [];
  if (statement?.kind !== "Expr" || more.length > 0 || !isLiteral(statement.value)) {
    const quoted = /^[\w.-]+$/.test(text) ? `; a string has quotes: '"${text}"'` : "";
    throw new BadDefine(`'${text}' is no Python literal${quoted}`);
  }
  const names = new Names();
  const file: SourceFile = { path: "<define>", module: "<define>", package: "", globals: names, defines: new Map() };
  const nothing = { readFile: () => undefined, search: undefined, tritonLib: undefined, env: {} };
  const host = makeHost({ ...nothing, gpu: DEFAULT_GPU, triton: DEFAULT_TRITON, defines: new Map() });
  return evaluate(host, { vars: names, parent: undefined, file, isFunction: true }, statement.value);
}

/** As `ast.literal_eval` takes them. */
function isLiteral(node: ast.Expr): boolean {
  switch (node.kind) {
    case "Constant":
      return true;
    case "UnaryOp":
      return node.op !== "Not" && isLiteral(node.operand);
    case "Tuple":
    case "List":
    case "Set":
      return node.elts.every(isLiteral);
    case "Dict":
      return node.keys.every((key) => key && isLiteral(key)) && node.values.every(isLiteral);
    default:
      return false;
  }
}

function evaluateFile(
  ctx: Context,
  file: string,
  text: string,
  files: PythonHost,
  defines: ReadonlyMap<string, PyValue>,
): PythonFile | undefined {
  const parsed = parsePython(text, file);
  if (parsed.kind === "SyntaxError") {
    ctx.diagnostics.push(...syntaxDiagnostics(text, file, "error"));
    return undefined;
  }
  const readFile = (path: string): string | undefined => {
    const other = files.readFile(path);
    return other === undefined ? undefined : decode(pythonBytes(other));
  };
  const search = moduleSearch(file, deepestImport(parsed.body), { ...files, readFile });
  const { tritonLib, gpu = DEFAULT_GPU, triton = DEFAULT_TRITON, env = {} } = files;
  // Errors show their lines.
  const opened = (path: string): void => void ctx.addSource(path, pythonBytes(files.readFile(path)!));
  const host = makeHost({ readFile, search, tritonLib, opened, gpu, triton, env, defines });
  const { name, isPackage } = search;
  const { whole, assumed } = wholeListing(parsed);
  if (assumed !== undefined)
    ctx.diagnostics.push({ severity: "remark", code: "python.listing", message: `'${file}' ${assumed}`, notes: [] });
  const source = runModule(host, whole, { name, isPackage, isOfUser: true, from: undefined }, new Names());
  for (const key of defines.keys()) {
    const names = key.replace(/\(.*/s, "").split(".");
    const isMentioned = (): boolean => names.every((name) => host.mentioned.has(name));
    // It may be a name of a file that nothing was needed of so far.
    while (!isMentioned() && host.pending.length > 0) host.pending.shift()!.value();
    if (isMentioned()) continue;
    const near = nearest(key, host.mentioned);
    throw new BadDefine(`'${file}' mentions no '${key}'${near === undefined ? "" : `; did you mean '${near}'?`}`);
  }
  const functions = new Map<string, JitFunction>();
  const kernels: KernelInfo[] = [];
  let read: readonly (readonly ast.Stmt[])[] | undefined;
  const found = (fn: JitFunction): FoundArguments => {
    read ??= [parsed.body, ...testsOf(file).flatMap((path) => moduleBody(readFile(path), path))];
    return guessSignature(fn, read, (node) => constantText(host, source, node));
  };
  for (const [name, value] of namesOf(source)) {
    const defined = isKind(value, "opaque") ? (value.undecided?.definitions.map((d) => d.value) ?? []) : [value];
    const fn = defined.find((v): v is JitFunction => isKind(v, "jit") && jitData(v).env.file === source);
    if (!fn) continue;
    functions.set(name, fn);
    const kernel = {
      ...describe(name, jitData(fn)),
      guess: () => found(fn),
      grid: (numbers: ReadonlyMap<string, number>, constants: ReadonlyMap<string, string>) =>
        gridOf({ ctx, host, source, functions }, found(fn).grid(numbers), constants),
    };
    const refused = isKind(value, "opaque") && !choose(name, value) ? undecidedKernel(file, name, value) : kernel.refused;
    kernels.push({ ...kernel, refused });
  }
  return { kernels, inner: () => innerKernels(parsed.body), evaluated: { ctx, host, source, functions } };
}

/** The names at module level, and `Class.name` for those in its classes. */
function namesOf(source: SourceFile): readonly (readonly [string, PyValue])[] {
  const seen = new Set<PyValue>();
  const within = (names: Iterable<readonly [string, PyValue]>, prefix: string): (readonly [string, PyValue])[] =>
    [...names].flatMap(([name, value]): (readonly [string, PyValue])[] => {
      if (!isKind(value, "class")) {
        // A class has the functions of its base too.
        const isKnown = prefix !== "" && seen.has(value);
        seen.add(value);
        return isKnown ? [] : [[`${prefix}${name}`, value]];
      }
      const data = classData(value);
      // Methods of aggregates are functions for kernels.
      if (seen.has(value) || value.flavour !== "plain" || data?.kind !== "source" || data.env.file !== source) return [];
      seen.add(value);
      return within(value.attrs, `${prefix}${name}.`);
    });
  return within(source.globals, "");
}

function innerKernels(body: readonly ast.Stmt[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const isJit = (decorator: ast.Expr): boolean => lastName(decorator.kind === "Call" ? decorator.func : decorator) === "jit";
  const isFunction = (node: ast.Node): node is ast.FunctionDef | ast.AsyncFunctionDef =>
    node.kind === "FunctionDef" || node.kind === "AsyncFunctionDef";
  const inside = (around: ast.FunctionDef | ast.AsyncFunctionDef): void =>
    walk(around.body, (node) => void (node.kind === "FunctionDef" && node.decorators.some(isJit) && found.set(node.name, around.name)));
  walk(
    body,
    (node) => void (isFunction(node) && inside(node)),
    (node) => !isFunction(node),
  );
  return found;
}

/** The kernels that a file holds as string literals, as torch.compile's `output_code.py` does. A file that was cut off yields the ones before its end, and a warning. */
export function readEmbedded(
  file: string,
  latin1: string,
): { readonly kernels: readonly EmbeddedKernel[]; readonly diagnostics: readonly Diagnostic[] } {
  const begins = [...latin1.matchAll(/^\w+ = async_compile\.triton\(/gm)].map((match) => match.index);
  if (begins.length === 0) return { kernels: [], diagnostics: [] };
  const text = decode(pythonBytes(latin1));
  const lines = text.split("\n");
  const whole = parsePython(text, file);
  if (whole.kind === "Module") return { kernels: embeddedKernels(whole.body, lines), diagnostics: [] };
  const part = parsePython(decode(pythonBytes(latin1.slice(0, begins.at(-1)))), file);
  const kernels = part.kind === "Module" ? embeddedKernels(part.body, lines) : [];
  return { kernels, diagnostics: kernels.length > 0 ? syntaxDiagnostics(text, file, "warning") : [] };
}

/** Where the tests of a file may be: beside it, and in the folders for tests of the folders above it. */
function testsOf(file: string): readonly string[] {
  const [, folder = "", base] = /^(.*\/)?([^/]+)\.py$/.exec(file) ?? [];
  if (base === undefined) return [];
  const inFolder = (at: string): string[] => [`${at}test_${base}.py`, `${at}${base}_test.py`];
  const above = ["", "../", "../../", "../../../"].flatMap((up) => ["tests", "test"].flatMap((name) => inFolder(`${folder}${up}${name}/`)));
  return [...inFolder(folder), ...above];
}

/** The statements of a file, in a list; none where it is not there or no Python. */
function moduleBody(text: string | undefined, path: string): (readonly ast.Stmt[])[] {
  const parsed = text === undefined ? undefined : parsePython(text, path);
  return parsed?.kind === "Module" ? [parsed.body] : [];
}

/** The numbers of a grid: `(n, m)`, or a function of the kernel's constants that returns them. */
function gridOf(file: EvaluatedFile, node: ast.Expr | undefined, constants: ReadonlyMap<string, string>): readonly number[] | undefined {
  if (!node) return undefined;
  const { host, source } = file;
  try {
    let value = evaluate(host, { vars: source.globals, parent: undefined, file: source, isFunction: true }, node);
    if (isKind(value, "host_function")) {
      const known = [...constants].map(([name, text]) => [name, evaluateText(file, text)] as const);
      value = callHost(host, value, [pyDict(known)], new Map());
    }
    const extents = isKind(value, "tuple") || isKind(value, "list") ? value.values : [value];
    const numbers = extents.map((n) => (typeof n === "bigint" ? Number(n) : Number.NaN));
    return numbers.length <= 3 && numbers.every((n) => Number.isSafeInteger(n) && n > 0) ? numbers : undefined;
  } catch (error) {
    // It depends on what is known only where the program runs.
    if (asPyError(error) || error instanceof EndlessCode) return undefined;
    throw error;
  }
}

/** Whether a folder holds a Triton whose library functions can be read. */
export const isTritonLib = (folder: string, readFile: PythonHost["readFile"]): boolean =>
  packageFolders(folder).some((base) => readFile(`${base}/language/standard.py`) !== undefined);

/** The most dots of a relative import in a tree. */
function deepestImport(body: readonly ast.Stmt[]): number {
  const levels = body.map((s): number => {
    if (s.kind === "ImportFrom") return s.level;
    if (s.kind === "Try") return deepestImport([...s.body, ...s.handlers.flatMap((h) => h.body), ...s.orelse]);
    return s.kind === "If" ? deepestImport([...s.body, ...s.orelse]) : 0;
  });
  return Math.max(0, ...levels);
}

/** A constant expression of the module level as a Python literal. */
function constantText(host: Host, file: SourceFile, node: ast.Expr): string | undefined {
  try {
    const value = evaluate(host, { vars: file.globals, parent: undefined, file, isFunction: true }, node);
    const plain = isKind(value, "constexpr") ? value.value : value;
    return plain === null || typeof plain !== "object" ? pyRepr(plain) : undefined;
  } catch (error) {
    if (asPyError(error)) return undefined;
    throw error;
  }
}

function describe(name: string, data: JitData): Omit<KernelInfo, "guess" | "grid"> {
  const inductor = inductorKernel(data.node);
  return {
    name,
    line: data.firstLine,
    parameters: data.parameters.map((p) => ({
      name: p.name,
      isConstexpr: p.isConstexpr,
      specialized: data.doNotSpecialize.includes(p.name) ? "type" : data.doNotAlign.includes(p.name) ? "one" : "value",
      defaultText: p.fallbackNode && unparse(p.fallbackNode),
    })),
    configs: inductor?.configs ?? data.configs.map(describeConfig),
    settings: inductor?.settings ?? [],
    configsUnknown: data.configsUnknown,
    heuristics: [...data.heuristics.keys()],
    debug: data.debug,
    refused: data.refused && refusal(data.refused),
  };
}

function describeConfig(config: PyValue): KernelConfig {
  const attrs = isKind(config, "instance") ? config.attrs : new Map<string, PyValue>();
  const constants = new Map<string, string>();
  const kwargs = attrs.get("kwargs");
  if (isKind(kwargs, "dict")) for (const [key, value] of kwargs.entries.values()) constants.set(String(key), pyRepr(value));
  const number = (name: string): number | undefined => {
    const value = attrs.get(name);
    return typeof value === "bigint" ? Number(value) : undefined;
  };
  return {
    constants,
    numWarps: number("num_warps"),
    numStages: number("num_stages"),
    numCtas: number("num_ctas"),
    maxnreg: number("maxnreg"),
  };
}

/** Generates the module of a kernel; undefined where the kernel is wrong, and the Context's diagnostics tell why. */
export function compileKernel(file: PythonFile, specialization: Specialization, options: LanguageOptions): Operation | undefined {
  const { ctx, host, functions } = file.evaluated;
  const fn = functions.get(specialization.kernel)!;
  ctx.language = jitData(fn).isGluon ? "gluon" : "triton";
  const compilation: Compilation = {
    visitor: { expression: visitExpression, statement: visitStatement },
    ctx,
    host,
    options: { ...options, fp32Default: environmentOf(host, "TRITON_F32_DEFAULT") },
    module: { op: undefined, body: undefined },
    functions: new Map(),
    warnings: chosenKernel(file.evaluated, specialization.kernel),
    errors: new Map(),
    failures: 0,
    statements: 0,
  };
  try {
    const args = argumentsOf(file.evaluated, fn, specialization);
    generateKernel(compilation, fn, args, kernelName(host, fn, args, specialization));
  } catch (error) {
    if (error instanceof CompilationError) compilation.errors.set("", error);
    else if (!(error instanceof Abandoned)) tellLimit(ctx, error, file.evaluated.source.path);
    const choices = compilation.warnings.filter(({ choice }) => choice !== undefined);
    ctx.diagnostics.push(...choices.map(warningDiagnostic), ...[...compilation.errors.values()].map(diagnosticOf));
    return undefined;
  }
  ctx.diagnostics.push(...compilation.warnings.map(warningDiagnostic));
  const module = compilation.module.op!;
  return isValid(module) ? module : undefined;
}

/** A variable of the environment, as the file has left it. */
function environmentOf(host: Host, variable: string): string | undefined {
  const environment = host.facts.get("os.environ");
  const value = isKind(environment, "dict") ? environment.entries.get(dictKey(variable))?.[1] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** The note of a kernel that is the only known definition among others. */
function chosenKernel({ source }: EvaluatedFile, name: string): CodegenWarning[] {
  const value = source.globals.get(name);
  const chosen = isKind(value, "opaque") ? choose(name, value) : undefined;
  return chosen ? [{ severity: "note", file: source.path, place: chosen.choice.taken.at, ...chosen }] : [];
}

/** Builtins check most of what they are given, but not all: the ops themselves do. */
function isValid(module: Operation): boolean {
  const { diagnostics } = module.ctx;
  const told = diagnostics.length;
  if (verifyOperation(module)) return true;
  // Locations count columns from 0, as Python does.
  for (let i = told; i < diagnostics.length; i++) {
    const { position, code, message, notes } = diagnostics[i]!;
    const hint = opHintFor(message);
    diagnostics[i] = {
      ...diagnostics[i]!,
      ...(position && { position: { ...position, column: position.column + 1 } }),
      notes: hint === undefined ? notes : [...notes, { severity: "note", code, message: hint, notes: [] }],
    };
  }
  return false;
}

/** The kernel's own name, or what its `repr` makes of its constants. */
function kernelName(host: Host, fn: JitFunction, args: readonly Argument[], { signature }: Specialization): string {
  const { repr, parameters } = jitData(fn);
  if (repr === null) return fn.name;
  const constants = parameters.flatMap(({ name }, i) => {
    const arg = args[i]!;
    return arg.kind === "constant" ? [[name, arg.value] as const] : [];
  });
  const types = [...signature].map(([name, type]) => [name, typeof type === "string" ? type : JSON.stringify(type)] as const);
  const name = callHost(host, repr, [tuple([pyDict(constants), pyDict(types)], ["constants", "signature"])], new Map());
  return typeof name === "string" ? name : fn.name;
}

/** The kernel's arguments by its specialization; constants are evaluated in the file's scope. */
function argumentsOf(file: EvaluatedFile, fn: JitFunction, { signature, constants, attrs, guess }: Specialization): Argument[] {
  const data = jitData(fn);
  const values = new Map([...constants].map(([path, text]) => [path, evaluateText(file, text)] as const));
  const known = new Map(data.parameters.map((p, i) => [p.name, values.get(String(i))] as const));
  const computed = new Map<string, PyValue>();
  // Each sees what those before it returned.
  for (const [name, heuristic] of data.heuristics) {
    if (!known.has(name) || known.get(name) !== undefined) continue;
    const value = heuristicValue(file, name, heuristic, known, signature, guess === true ? () => guessedNumber(fn) : undefined);
    known.set(name, value);
    computed.set(name, value);
  }
  return data.parameters.map((p, i) => {
    const value = computed.get(p.name);
    return value === undefined ? argumentOf(file, signature.get(p.name)!, String(i), values, attrs) : { kind: "constant", value };
  });
}

function argumentOf(
  file: EvaluatedFile,
  spec: TypeSpec,
  path: string,
  values: ReadonlyMap<string, PyValue>,
  attrs: Specialization["attrs"],
): Argument {
  const constant = values.get(path);
  if (constant !== undefined) return { kind: "constant", value: constant };
  if (typeof spec !== "string")
    return { kind: "tuple", elements: spec.map((element, i) => argumentOf(file, element, `${path},${i}`, values, attrs)), like: undefined };
  const type = parseType(spec, (text) => {
    const value = evaluateText(file, text);
    if (isLayout(value) && value.encoding() && isShared(value.encoding()!)) return value;
    throw new PyError("ValueError", `the layout of a descriptor must be one of shared memory, not '${text}'`);
  });
  if (!type) throw new PyError("TypeError", `'${spec}' is no type of an argument`);
  return { kind: "type", type, attrs: attrs.get(path) ?? [] };
}

/** Names that the file need not import: layouts print by the names of their classes, and `tt-step capture` names types so. */
const knownNames = memo((triton: TritonVersion) => {
  const modules = languageModules(triton);
  return Names.of([
    ...layoutClasses(triton),
    ["tl", modules.get("triton.language")!],
    ["gl", modules.get("triton.experimental.gluon.language")!],
  ]);
});

function evaluateText({ host, source }: EvaluatedFile, text: string): PyValue {
  // Most constants are numbers, and the first parse of one has V8 compile much of the grammar.
  if (/^(?:0|[1-9]\d*)$/.test(text)) return BigInt(text);
  const parsed = parsePython(text, "<constant>");
  const [statement] = parsed.kind === "Module" ? parsed.body : [];
  if (statement?.kind !== "Expr") throw new PyError("ValueError", `'${text}' is no Python expression`);
  const outer: Env = { vars: knownNames(host.triton), parent: undefined, file: source, isFunction: false };
  let value: PyValue;
  try {
    value = evaluate(host, { vars: source.globals, parent: outer, file: source, isFunction: false }, statement.value);
  } catch (error) {
    if (!(error instanceof PyError)) throw error;
    throw new PyError(error.kind, `'${text}': ${error.message}`);
  }
  if (isKind(value, "opaque")) throw new PyError("ValueError", `'${text}' is not known: ${value.why}`);
  return value;
}

/** The value that guessed heuristics see for a number that is not known: most blocks divide it. Where matrices are multiplied, heuristics make sides of tiles of it. */
const guessedNumber = (fn: JitFunction): bigint => (multipliesMatrices(fn) ? 64n : 1024n);

/** The value that a function of `@triton.heuristics` returns for the known arguments. `guess`: the number that one that is not known may be guessed as. */
function heuristicValue(
  { ctx, host }: EvaluatedFile,
  name: string,
  fn: PyValue,
  known: ReadonlyMap<string, PyValue | undefined>,
  signature: Specialization["signature"],
  guess: (() => bigint) | undefined,
): PyValue {
  const classOf = (key: string): NonNullable<Opaque["argument"]> => {
    const type = String(signature.get(key));
    if (/^[iu]\d+$/.test(type)) return "int";
    if (/^(?:fp|bf)\d+$/.test(type)) return "float";
    return type.startsWith("*") ? "Tensor" : "object";
  };
  const unknown = (key: string): PyValue => ({
    kind: "opaque",
    what: key,
    why: `the value of '${key}' is not known while compiling`,
    argument: classOf(key),
  });
  const valueWith = (other: (key: string) => PyValue): PyValue => {
    const entries = [...known].map(([key, value]) => [key, value === undefined ? other(key) : value] as const);
    return callHost(host, fn, [pyDict(entries)], new Map());
  };
  const value = valueWith(unknown);
  if (!isKind(value, "opaque")) return value;
  const number = guess?.();
  const guessed = number === undefined ? value : valueWith((key) => (classOf(key) === "int" ? number : unknown(key)));
  if (isKind(guessed, "opaque"))
    throw new PyError(
      "ValueError",
      `the heuristic of '${name}' cannot be evaluated (${value.why}); give the value with --const ${name}=...`,
    );
  const message = `guessed ${name}=${pyRepr(guessed)}, what its heuristic returns where numbers are ${number}; give another with --const ${name}=...`;
  ctx.diagnostics.push({ severity: "remark", code: "python.guess", message, notes: [] });
  return guessed;
}

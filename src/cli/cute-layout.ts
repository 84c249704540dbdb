/**
 * `cute-layout`: CuTe layouts, TiledMMA and TiledCopy as CUTLASS prints them. Exit code 2 with one line and a caret
 * for what does not parse or what CuTe would not compile. The reports and the reading of arguments are beside this file.
 */
import { copyNames, mmaNames } from "../cute/atoms/index.js";
import * as any from "../cute/composed-layout.js";
import { evaluate, evaluateExpression } from "../cute/cxx/evaluate.js";
import { printed } from "../cute/cxx/library/print.js";
import { nameOfKind, termOf, type Value } from "../cute/cxx/value.js";
import { htmlPage, layoutPanel, svgOfPanels, textOfPanels } from "../cute/draw.js";
import { product, transformLeaf } from "../cute/int-tuple.js";
import * as plain from "../cute/layout.js";
import { numericTypes } from "../cute/numeric-type.js";
import { parseLayout, parseTerm, SyntaxProblem } from "../cute/parse-term.js";
import { printLayout } from "../cute/print-layout.js";
import { latexOfCopy, latexOfLayout, latexOfMma, type Marked, svgOfMma } from "../cute/print-picture.js";
import { printTerm } from "../cute/print-term.js";
import {
  type AnyLayout,
  CuteError,
  get,
  int,
  isLayout,
  isStatic,
  itemsOf,
  type Layout,
  lit,
  numberOf,
  rankOf,
  type Term,
  tuple,
  underscore,
} from "../cute/term.js";
import { copyAtomOf, copySize, endLayoutTv, makeTiledCopy, makeTiledCopyFor, type TiledCopy } from "../cute/tiled-copy.js";
import { layoutTv, makeTiledMma, mmaSize, type TiledMma, tileShape } from "../cute/tiled-mma.js";
import { basesOfTv, linearAttribute } from "../cute/triton.js";
import { renderDiagnostic } from "../diagnostics/render.js";
import { SourceBuffer } from "../diagnostics/source.js";
import { LayoutError } from "../layout/layout-error.js";
import { fileError } from "../node/files.js";
import { LimitError, within as limited } from "../support/limits.js";
import { fromBytes, toBytes } from "../support/utf8.js";
import { type CopyTensors, copyReport, mmaReport, type Report, reportJson, reportText } from "./cute-report.js";
import { fromTriton, shapeOf } from "./cute-triton.js";
import { EXIT, type Io } from "./io.js";
import { runMain } from "./node-io.js";
import { type CUTE_FORMATS, type CuteArgs, readCuteArgs, type Word } from "./options/cute.js";

export const run = (argv?: readonly string[]): Promise<void> => runMain(main, argv);

/** An error at a place in a text (a command line argument, a file). */
class Problem extends Error {
  constructor(
    readonly source: string,
    readonly text: string,
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}

/** Runs the command; returns the exit code. */
export function main(letters: readonly string[], io: Io): number {
  const argv = letters.map(toBytes);
  let out = "";
  try {
    const args = readCuteArgs(argv);
    if ("print" in args) {
      io.stdout.write(args.print);
      return EXIT.ok;
    }
    if ("error" in args) throw new Problem("<command line>", argv.join(" "), argumentOffset(argv, args.index), args.error);
    out = answer(args, argv, io);
    const file = args.options.get("output");
    if (file && file.text !== "-") write(io, file, argv, out);
    else io.stdout.write(out);
    return EXIT.ok;
  } catch (e) {
    // A limit is one of all that is asked for: no single argument is to blame.
    const problem = e instanceof LimitError ? new Problem("<command line>", argv.join(" "), 0, e.message) : e;
    if (!(problem instanceof Problem)) throw e;
    const source = new SourceBuffer(problem.source, problem.text, 0);
    const position = source.position(Math.min(problem.offset, problem.text.length));
    const code = e instanceof LimitError ? e.code : "";
    io.stderr.write(renderDiagnostic({ severity: "error", code, message: problem.message, position, notes: [] }, [source]));
    return EXIT.badInput;
  }
}

const argumentOffset = (argv: readonly string[], index: number): number => argv.slice(0, index).reduce((n, a) => n + a.length + 1, 0);

function write(io: Io, file: Word, argv: readonly string[], text: string): void {
  try {
    io.writeFile(fromBytes(file.text), text);
  } catch (error) {
    throw new Problem("<command line>", argv.join(" "), argumentOffset(argv, file.index), `${file.text}: ${fileError(error)}`);
  }
}

type Format = (typeof CUTE_FORMATS)[number];

/** The text to print. */
function answer(args: CuteArgs, argv: readonly string[], io: Io): string {
  const { options, words } = args;
  const fail = (word: Word | undefined, message: string): never => {
    throw new Problem("<command line>", argv.join(" "), argumentOffset(argv, word?.index ?? argv.length), message);
  };
  if (options.has("atoms")) return `${[...mmaNames(), ...copyNames()].join("\n")}\n`;
  const format = (options.get("format")?.text ?? "text") as Format;
  const attribute = options.get("from-triton");
  if (attribute) {
    const type = options.get("type") ?? fail(attribute, "--from-triton needs -t TYPE, the tensor type");
    within(type.text, () => shapeOf(type.text));
    return within(attribute.text, () => fromTriton(attribute.text, type.text));
  }
  const [first, second, ...more] = words;
  if (!first) return fail(undefined, "expected a layout, or one of the commands eval, mma, copy; see --help");
  const ctx: Context = { args, fail, format };
  switch (first.text) {
    case "eval":
      if (more.length > 0) fail(more[0], "eval takes one expression; quote it");
      return evalCommand(ctx, second, io);
    case "mma":
    case "copy": {
      if (!second)
        return fail(
          first,
          `${first.text} needs an atom: cute-layout ${first.text} ${first.text === "mma" ? "SM80_16x8x16_F32F16F16F32_TN" : "SM75_U32x4_LDSM_N"}`,
        );
      if (more.length > 0) fail(more[0], `unexpected '${more[0]!.text}' after the atom`);
      return first.text === "mma" ? mmaCommand(ctx, second) : copyCommand(ctx, second);
    }
    default:
      if (second) fail(second, `unexpected '${second.text}' after the layout; quote the layout, or use eval, mma, copy`);
      return layoutCommand(ctx, first);
  }
}

interface Context {
  readonly args: CuteArgs;
  readonly fail: (word: Word | undefined, message: string) => never;
  readonly format: Format;
}

/** Runs `f`; what it refuses points into `text`. */
function within<T>(text: string, f: () => T, source = "<expression>"): T {
  try {
    return f();
  } catch (e) {
    if (e instanceof SyntaxProblem) throw new Problem(source, text, e.offset, e.message);
    if (e instanceof CuteError || e instanceof LayoutError) throw new Problem(source, text, 0, e.message);
    throw e;
  }
}

// ---- cute-layout LAYOUT ----

function layoutCommand(ctx: Context, word: Word): string {
  const looksLikeCode = /[{}<;]/.test(word.text) && !word.text.startsWith("Sw<");
  if (looksLikeCode) return evalText(ctx, word.text, "<expression>");
  const l = within(word.text, () => parseLayout(word.text));
  const layout = l.kind === "swizzle" ? any.layoutOfSwizzle(l) : l;
  return within(word.text, () => renderLayout(ctx, layout));
}

function renderLayout(ctx: Context, l: AnyLayout): string {
  const tile = ctx.args.options.get("tile");
  if (ctx.args.options.has("triton")) {
    const extents = tile ? shapeList(ctx, tile) : [numberOf(any.cosize(l))];
    return `${linearAttribute(basesOfTv(l, extents))}\n`;
  }
  switch (ctx.format) {
    case "text":
      return printLayout(twoModes(l), l);
    case "latex":
      return latexOfLayout(twoModes(l));
    case "svg":
      return svgOfPanels([layoutPanel(l, printTerm(l))]);
    case "html":
      return htmlPage(printTerm(l), printLayout(twoModes(l), l), [layoutPanel(l, "offsets")]);
    case "json":
      return `${JSON.stringify(layoutJson(l), null, 2)}\n`;
  }
}

/** A layout as a table needs it: one mode becomes a column, further modes go into the second. */
function twoModes(l: AnyLayout): AnyLayout {
  const r = any.rank(l);
  return r > 2 ? any.group(l, 1, r) : any.appendMode(l, plain.trivial, 2);
}

function layoutJson(l: AnyLayout): Record<string, unknown> {
  const n = numberOf(any.size(l));
  const value = (i: number) => {
    const v = any.apply(l, int(i, false));
    return v.kind === "tuple" || v.kind === "basis" ? printTerm(v) : numberOf(v);
  };
  return {
    layout: printTerm(l),
    shape: printTerm(any.shape(l)),
    ...(l.kind === "layout" ? { stride: printTerm(l.stride) } : {}),
    size: n,
    cosize: numberOf(any.cosize(l)),
    offsets: Array.from({ length: Math.min(n, 1 << 16) }, (_, i) => value(i)),
  };
}

// ---- cute-layout eval ----

function evalCommand(ctx: Context, word: Word | undefined, io: Io): string {
  const file = ctx.args.options.get("file") ?? (word?.text === "-" ? word : undefined);
  if (!file) return evalText(ctx, word?.text ?? ctx.fail(undefined, "eval needs an expression"), "<expression>");
  let text: string;
  try {
    text = io.readFile(fromBytes(file.text));
  } catch (error) {
    return ctx.fail(file, `${file.text}: ${fileError(error)}`);
  }
  return evalText(ctx, text, file.text);
}

function evalText(ctx: Context, text: string, source: string): string {
  const defines = new Map<string, string>();
  for (const [name, word] of ctx.args.defines) {
    within(
      word.text,
      () => evaluateExpression(word.text, { write: () => undefined, defines: new Map([...defines]) }),
      `<--define ${name}>`,
    );
    defines.set(name, word.text);
  }
  let out = "";
  const env = { write: (s: string) => void (out += s), defines };
  if (ctx.format === "text" && !ctx.args.options.has("triton")) {
    within(text, () => withAllLacks(text, defines, () => evaluate(text, env)), source);
    return out;
  }
  return within(
    text,
    () =>
      renderValue(
        ctx,
        withAllLacks(text, defines, () => evaluateExpression(text, env)),
      ),
    source,
  );
}

/** Runs `f`; where the text lacks a definition, the error names the others that it lacks too. */
function withAllLacks<T>(text: string, defines: ReadonlyMap<string, string>, f: () => T): T {
  try {
    return f();
  } catch (e) {
    if (!(e instanceof SyntaxProblem) || e.lacks === undefined) throw e;
    const others = lacking(text, defines, e.lacks);
    const more = others.map((define) => (define.endsWith("*") ? ` --define '${define}'` : ` --define ${define}`)).join("");
    throw more === "" ? e : new SyntaxProblem(e.offset, `${e.message}; it lacks more:${more}`);
  }
}

/** The definitions that a text lacks after `first`: each is given the proposed value until it asks for no more. */
function lacking(text: string, defines: ReadonlyMap<string, string>, first: string): string[] {
  const all = new Map(defines);
  const found: string[] = [];
  for (let lacks = first; found.length <= MOST_DEFINES; found.push(lacks)) {
    const at = lacks.indexOf("=");
    all.set(lacks.slice(0, at), lacks.slice(at + 1));
    try {
      evaluate(text, { write: () => undefined, defines: all });
      return found;
    } catch (e) {
      if (!(e instanceof SyntaxProblem) || e.lacks === undefined) return found;
      lacks = e.lacks;
    }
  }
  return found;
}
/** More names than this are no listing of an article. */
const MOST_DEFINES = 32;

function renderValue(ctx: Context, v: Value): string {
  if (v.kind === "tiled-mma") return mmaOutput(ctx, v, undefined, undefined);
  if (v.kind === "tiled-copy") return copyOutput(ctx, v, copyReport(v, undefined, undefined, undefined));
  if (v.kind === "layout" || v.kind === "composed") return renderLayout(ctx, v);
  if (ctx.format === "json") return `${JSON.stringify({ value: printed(v) }, null, 2)}\n`;
  throw new CuteError(`${nameOfKind(v)} cannot be drawn as ${ctx.format}`);
}

// ---- cute-layout mma, copy ----

function mmaCommand(ctx: Context, word: Word): string {
  const mma = tiledMma(ctx, word);
  // The same arguments are accepted in every format, also in the one that draws nothing.
  const [m, n, k] = [0, 1, 2].map((i) => numberOf(get(tileShape(mma), i))) as [number, number, number];
  limited("drawn-cells", Math.max(m * n, m * k, n * k));
  const { options } = ctx.args;
  const shape = options.get("tensor");
  const tensors = shape && mmaTensors(ctx, shape);
  if (tensors && shape) mustDivide(ctx, shape, [tensors.A.shape, tensors.B.shape], tileShape(mma));
  const thread = threadOf(ctx);
  return mmaOutput(ctx, mma, tensors, thread, markedOf(ctx, thread, numberOf(mmaSize(mma))));
}

/** M, N and K of the tensors must be multiples of the tile's. */
function mustDivide(ctx: Context, word: Word, [a, b]: readonly [Term, Term], tile: Term): void {
  const extents = [get(a, 0), get(b, 0), get(a, 1)].map((x) => numberOf(x));
  extents.forEach((n, i) => {
    const t = numberOf(get(tile, i));
    if (n % t !== 0) ctx.fail(word, `the tile ${printTerm(tile)} does not divide the tensor: ${"MNK"[i]} = ${n} is no multiple of ${t}`);
  });
}

function mmaTensors(ctx: Context, word: Word): Record<"A" | "B" | "C", Layout> {
  const [m, n, k, extra] = shapeList(ctx, word);
  if (m === undefined || n === undefined || k === undefined || extra !== undefined)
    return ctx.fail(word, `--tensor of an mma needs M,N,K, not '${word.text}'`);
  const rowMajor = (x: number, y: number) => plain.compactLayout(tuple(lit(x), lit(y)), "right");
  return { A: rowMajor(m, k), B: rowMajor(n, k), C: rowMajor(m, n) };
}

function tiledMma(ctx: Context, word: Word): TiledMma {
  const value = within(word.text, () => evaluateExpression(word.text, { write: () => undefined, defines: new Map() }));
  const inner = value.kind === "type" && value.type.of === "value" ? value.type.value : value;
  const atom = inner.kind === "mma-atom" ? inner.atom : value.kind === "type" && value.type.of === "mma-op" ? value.type.atom : undefined;
  if (inner.kind === "tiled-mma") return inner;
  if (!atom) return ctx.fail(word, `'${word.text}' is not an MMA operation`);
  const { options } = ctx.args;
  const [thr, tile] = [options.get("thr"), options.get("tile")];
  const threads = thr && listLayout(ctx, thr);
  const permutation = tile && tuple(...tileModes(ctx, tile));
  return refuseAt(ctx, tile ?? thr ?? word, () => makeTiledMma(atom, threads, permutation));
}

/** Runs `f`; an error of the layout algebra is reported at the option `word`. */
function refuseAt<T>(ctx: Context, word: Word, f: () => T): T {
  try {
    return f();
  } catch (e) {
    if (e instanceof CuteError || e instanceof SyntaxProblem) return ctx.fail(word, e.message);
    throw e;
  }
}

function mmaOutput(
  ctx: Context,
  mma: TiledMma,
  tensors: Record<"A" | "B" | "C", Layout> | undefined,
  thread: number | undefined,
  marked?: Marked,
): string {
  const at = ctx.args.options.get("tensor") ?? ctx.args.options.get("tile") ?? ctx.args.words[1] ?? ctx.args.words[0]!;
  return refuseAt(ctx, at, () => {
    if (ctx.args.options.has("triton")) {
      const [m, n, k] = [0, 1, 2].map((i) => numberOf((tileShape(mma) as { items: readonly Term[] }).items[i]!)) as [
        number,
        number,
        number,
      ];
      const shapes = { A: [m, k], B: [n, k], C: [m, n] } as const;
      return (["A", "B", "C"] as const).map((o) => `${o}: ${linearAttribute(basesOfTv(layoutTv(mma, o), shapes[o]))}\n`).join("");
    }
    if (ctx.format === "latex") return latexOfMma(mma, marked);
    if (ctx.format === "svg") return svgOfMma(mma, marked);
    return reportOutput(ctx, mmaReport(mma, tensors, thread, marked));
  });
}

function copyCommand(ctx: Context, word: Word): string {
  const { options } = ctx.args;
  const valueType = dtype(ctx);
  const value = within(word.text, () => evaluateExpression(word.text, { write: () => undefined, defines: new Map() }));
  const inner = value.kind === "type" && value.type.of === "value" ? value.type.value : value;
  const copy =
    inner.kind === "tiled-copy"
      ? inner
      : inner.kind === "copy-atom"
        ? tiled(ctx, word, inner)
        : value.kind === "type" && value.type.of === "copy-op"
          ? tiled(
              ctx,
              word,
              refuseAt(ctx, options.get("dtype") ?? word, () =>
                copyAtomOf((value.type as { atom: Parameters<typeof copyAtomOf>[0] }).atom, valueType),
              ),
            )
          : ctx.fail(word, `'${word.text}' is not a copy operation`);
  const tensor = options.get("tensor");
  const values = options.get("values");
  if (values && !tensor) ctx.fail(values, "--values needs --tensor: what is copied");
  const source = tensor && listLayout(ctx, tensor, "right");
  const tensors: CopyTensors | undefined = source && { source, destination: plain.compactLayout(source.shape, "right") };
  if (source && tensor) copyMustDivide(ctx, tensor, source, copy);
  const thread = threadOf(ctx);
  const marked = markedOf(ctx, thread, numberOf(copySize(copy)));
  const report = refuseAt(ctx, tensor ?? word, () =>
    copyReport(copy, tensors, thread, values && { type: valueType, name: options.get("name")?.text ?? "D" }, marked),
  );
  return copyOutput(ctx, copy, report, marked);
}

/** Every mode of the tensor must be a multiple of the tile's. */
function copyMustDivide(ctx: Context, word: Word, source: Layout, copy: TiledCopy): void {
  if (rankOf(source.shape) < rankOf(copy.tiler))
    ctx.fail(word, `the tensor has ${rankOf(source.shape)} modes, the tile ${printTerm(copy.tiler)} ${rankOf(copy.tiler)}`);
  itemsOf(copy.tiler).forEach((t, i) => {
    const [n, step] = [numberOf(product(get(source.shape, i))), isLayout(t) ? numberOf(any.size(t)) : numberOf(product(t))];
    if (n % step !== 0)
      ctx.fail(word, `the tile ${printTerm(copy.tiler)} does not divide the tensor: mode ${i} has ${n}, no multiple of ${step}`);
  });
}

function tiled(ctx: Context, word: Word, atom: Parameters<typeof makeTiledCopy>[0]): TiledCopy {
  const { options } = ctx.args;
  const mma = options.get("mma");
  if (mma) {
    const operand = (options.get("operand")?.text ?? "A") as "A" | "B" | "C";
    return refuseAt(ctx, word, () => makeTiledCopyFor(atom, tiledMma(ctx, mma), operand));
  }
  const [thr, val] = [options.get("thr"), options.get("val")];
  // Without --thr and --val the copy is the atom itself: its threads down, its values across.
  const threads = thr ? listLayout(ctx, thr) : plain.layout(tuple(plain.size(atom.op.threads)), tuple(lit(1)));
  const values = val ? listLayout(ctx, val) : plain.compactLayout(tuple(lit(1), plain.size(plain.mode(atom.reference, 1))));
  return refuseAt(ctx, val ?? thr ?? word, () => makeTiledCopy(atom, threads, values));
}

function copyOutput(ctx: Context, copy: TiledCopy, report: Report, marked?: Marked): string {
  const at = ctx.args.options.get("tile") ?? ctx.args.words[1] ?? ctx.args.words[0]!;
  if (ctx.args.options.has("triton")) {
    return refuseAt(ctx, at, () => {
      const [first] = report.panels();
      const shape = [first!.rows, first!.columns];
      return (["S", "D"] as const).map((end) => `${end}: ${linearAttribute(basesOfTv(endLayoutTv(copy, end), shape))}\n`).join("");
    });
  }
  if (ctx.format === "latex") return refuseAt(ctx, at, () => latexOfCopy(copy, marked));
  return reportOutput(ctx, report);
}

function reportOutput(ctx: Context, report: Report): string {
  if (ctx.format === "json") return reportJson(report);
  if (ctx.format === "svg") return svgOfPanels(report.panels());
  if (ctx.format === "html") return htmlPage(report.title, reportText(report), report.panels(), report.owned());
  return reportText(report) + (ctx.args.options.has("grid") ? `\n${textOfPanels(report.panels())}` : "");
}

// ---- values of options ----

function threadOf(ctx: Context): number | undefined {
  return indexOf(ctx, "thread");
}

function indexOf(ctx: Context, name: "thread" | "warp"): number | undefined {
  const word = ctx.args.options.get(name);
  if (!word) return undefined;
  if (!/^\d+$/.test(word.text)) ctx.fail(word, `--${name} needs a ${name} index, not '${word.text}'`);
  return Number(word.text);
}

/** The threads that drawings point out: the one of --thread, those of --warp. */
function markedOf(ctx: Context, thread: number | undefined, threads: number): Marked | undefined {
  const { options } = ctx.args;
  const warp = indexOf(ctx, "warp");
  if (thread !== undefined && thread >= threads) ctx.fail(options.get("thread"), `thread ${thread} is outside of the ${threads} threads`);
  if (warp !== undefined && warp * 32 >= threads) ctx.fail(options.get("warp"), `warp ${warp} is outside of the ${threads} threads`);
  return thread === undefined && warp === undefined ? undefined : (t) => t === thread || Math.floor(t / 32) === warp;
}

function dtype(ctx: Context) {
  const word = ctx.args.options.get("dtype");
  const name = word?.text.replace(/^(cute|cutlass)::/, "") ?? "half_t";
  return numericTypes.get(name) ?? ctx.fail(word, `unknown element type '${name}'`);
}

/** `4,1,1` as numbers. */
function shapeList(ctx: Context, word: Word): number[] {
  const parts = word.text.replace(/^\((.*)\)$/, "$1").split(/[,x]/);
  return parts.map((p) =>
    /^_?\d+$/.test(p.trim()) ? Number(p.trim().replace("_", "")) : ctx.fail(word, `expected numbers like 64,16,16, found '${word.text}'`),
  );
}

/** `4,1,1`, `(4,1,1)`, `(8,16):(16,1)` or CuTe code, as a layout; numbers are static, a tensor's as they are written. */
function listLayout(ctx: Context, word: Word, order?: "left" | "right"): Layout {
  const given = ctx.args.options.get("order");
  const major = order ?? (given?.text === "row" ? "right" : "left");
  if (/[{<]/.test(word.text)) {
    const v = within(word.text, () => evaluateExpression(word.text, { write: () => undefined, defines: new Map() }));
    const t = within(word.text, () => termOf(v));
    return t.kind === "layout" ? t : ctx.fail(word, "expected a layout");
  }
  const list = /^[\d_]/.test(word.text) && word.text.includes(",");
  const t = within(word.text, () => parseTerm(list ? `(${word.text})` : word.text));
  if (t.kind === "layout") return order ? t : (staticOf(t) as Layout);
  if (isLayout(t) || t.kind === "swizzle") return ctx.fail(word, "expected a shape or a plain layout");
  return plain.compactLayout(staticOf(t), major);
}

/** The modes of a tile: numbers, `_`, or layouts. */
function tileModes(ctx: Context, word: Word): readonly Term[] {
  if (/[{<]/.test(word.text)) {
    const v = within(word.text, () => termOf(evaluateExpression(word.text, { write: () => undefined, defines: new Map() })));
    return v.kind === "tuple" ? v.items : ctx.fail(word, "expected a tile of M, N and K");
  }
  const text = word.text.startsWith("(") ? word.text : `(${word.text})`;
  const t = within(text, () => parseTerm(text));
  if (t.kind !== "tuple" || rankOf(t) > 3) return ctx.fail(word, "expected up to three modes: M,N,K");
  return t.items.map((x) => (x.kind === "underscore" ? underscore : staticOf(x)));
}

function staticOf(t: Term): Term {
  if (isStatic(t)) return t;
  if (t.kind === "layout") return plain.layout(staticOf(t.shape), staticOf(t.stride));
  return transformLeaf((x) => (x?.kind === "int" ? lit(x.value) : x!), t);
}

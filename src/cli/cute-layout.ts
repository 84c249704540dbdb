/**
 * `cute-layout`: CuTe layouts, TiledMMA and TiledCopy as CUTLASS prints them. Exit code 2 with one line and a caret
 * for what does not parse or what CuTe would not compile. The reports and the reading of arguments are beside this file.
 */
import { copyNames, mmaNames } from "../cute/atoms/index.js";
import * as any from "../cute/composed-layout.js";
import { evaluate, evaluateExpression } from "../cute/cxx/evaluate.js";
import { printed } from "../cute/cxx/library/print.js";
import { nameOfKind, type Value } from "../cute/cxx/value.js";
import { htmlPage, layoutPanel, svgOfPanels } from "../cute/draw.js";
import * as plain from "../cute/layout.js";
import { parseLayout, SyntaxProblem } from "../cute/parse-term.js";
import { printLayout } from "../cute/print-layout.js";
import { latexOfLayout } from "../cute/print-picture.js";
import { printTerm } from "../cute/print-term.js";
import { type AnyLayout, CuteError, int, numberOf } from "../cute/term.js";
import { basesOfTv, linearAttribute } from "../cute/triton.js";
import { renderDiagnostic } from "../diagnostics/render.js";
import { SourceBuffer } from "../diagnostics/source.js";
import { fileError } from "../node/files.js";
import { LimitError } from "../support/limits.js";
import { fromBytes, toBytes } from "../support/utf8.js";
import { type CuteContext, type Format, Problem, within } from "./cute-context.js";
import { copyReport } from "./cute-report.js";
import { copyCommand, copyOutput, mmaCommand, mmaOutput, shapeList } from "./cute-tiled.js";
import { fromTriton, shapeOf } from "./cute-triton.js";
import { EXIT, type Io } from "./io.js";
import { runMain } from "./node-io.js";
import { type CuteArgs, readCuteArgs, type Word } from "./options/cute.js";

export const run = (argv?: readonly string[]): Promise<void> => runMain(main, argv);

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
  const ctx: CuteContext = { args, fail, format };
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

// ---- cute-layout LAYOUT ----

function layoutCommand(ctx: CuteContext, word: Word): string {
  const looksLikeCode = /[{}<;]/.test(word.text) && !word.text.startsWith("Sw<");
  if (looksLikeCode) return evalText(ctx, word.text, "<expression>");
  const l = within(word.text, () => parseLayout(word.text));
  const layout = l.kind === "swizzle" ? any.layoutOfSwizzle(l) : l;
  return within(word.text, () => renderLayout(ctx, layout));
}

function renderLayout(ctx: CuteContext, l: AnyLayout): string {
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

function evalCommand(ctx: CuteContext, word: Word | undefined, io: Io): string {
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

function evalText(ctx: CuteContext, text: string, source: string): string {
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

function renderValue(ctx: CuteContext, v: Value): string {
  if (v.kind === "tiled-mma") return mmaOutput(ctx, v, undefined, undefined);
  if (v.kind === "tiled-copy") return copyOutput(ctx, v, copyReport(v, undefined, undefined, undefined));
  if (v.kind === "layout" || v.kind === "composed") return renderLayout(ctx, v);
  if (ctx.format === "json") return `${JSON.stringify({ value: printed(v) }, null, 2)}\n`;
  throw new CuteError(`${nameOfKind(v)} cannot be drawn as ${ctx.format}`);
}

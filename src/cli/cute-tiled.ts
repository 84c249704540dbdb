/** `cute-layout mma` and `cute-layout copy`: TiledMMA and TiledCopy of an atom, with the options that they take. */
import * as any from "../cute/composed-layout.js";
import { evaluateExpression } from "../cute/cxx/evaluate.js";
import { termOf } from "../cute/cxx/value.js";
import { htmlPage, svgOfPanels, textOfPanels } from "../cute/draw.js";
import { product, transformLeaf } from "../cute/int-tuple.js";
import * as plain from "../cute/layout.js";
import { numericTypes } from "../cute/numeric-type.js";
import { parseTerm, SyntaxProblem } from "../cute/parse-term.js";
import { latexOfCopy, latexOfMma, type Marked, svgOfMma } from "../cute/print-picture.js";
import { printTerm } from "../cute/print-term.js";
import {
  CuteError,
  get,
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
import { within as limited } from "../support/limits.js";
import { type CuteContext, within } from "./cute-context.js";
import { type CopyTensors, copyReport, mmaReport, type Report, reportJson, reportText } from "./cute-report.js";
import type { Word } from "./options/cute.js";

/** The text for `cute-layout mma ATOM`. */
export function mmaCommand(ctx: CuteContext, word: Word): string {
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
function mustDivide(ctx: CuteContext, word: Word, [a, b]: readonly [Term, Term], tile: Term): void {
  const extents = [get(a, 0), get(b, 0), get(a, 1)].map((x) => numberOf(x));
  extents.forEach((n, i) => {
    const t = numberOf(get(tile, i));
    if (n % t !== 0) ctx.fail(word, `the tile ${printTerm(tile)} does not divide the tensor: ${"MNK"[i]} = ${n} is no multiple of ${t}`);
  });
}

function mmaTensors(ctx: CuteContext, word: Word): Record<"A" | "B" | "C", Layout> {
  const [m, n, k, extra] = shapeList(ctx, word);
  if (m === undefined || n === undefined || k === undefined || extra !== undefined)
    return ctx.fail(word, `--tensor of an mma needs M,N,K, not '${word.text}'`);
  const rowMajor = (x: number, y: number) => plain.compactLayout(tuple(lit(x), lit(y)), "right");
  return { A: rowMajor(m, k), B: rowMajor(n, k), C: rowMajor(m, n) };
}

function tiledMma(ctx: CuteContext, word: Word): TiledMma {
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
function refuseAt<T>(ctx: CuteContext, word: Word, f: () => T): T {
  try {
    return f();
  } catch (e) {
    if (e instanceof CuteError || e instanceof SyntaxProblem) return ctx.fail(word, e.message);
    throw e;
  }
}

/** A TiledMMA in the format that is asked for. */
export function mmaOutput(
  ctx: CuteContext,
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

/** The text for `cute-layout copy ATOM`. */
export function copyCommand(ctx: CuteContext, word: Word): string {
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
function copyMustDivide(ctx: CuteContext, word: Word, source: Layout, copy: TiledCopy): void {
  if (rankOf(source.shape) < rankOf(copy.tiler))
    ctx.fail(word, `the tensor has ${rankOf(source.shape)} modes, the tile ${printTerm(copy.tiler)} ${rankOf(copy.tiler)}`);
  itemsOf(copy.tiler).forEach((t, i) => {
    const [n, step] = [numberOf(product(get(source.shape, i))), isLayout(t) ? numberOf(any.size(t)) : numberOf(product(t))];
    if (n % step !== 0)
      ctx.fail(word, `the tile ${printTerm(copy.tiler)} does not divide the tensor: mode ${i} has ${n}, no multiple of ${step}`);
  });
}

function tiled(ctx: CuteContext, word: Word, atom: Parameters<typeof makeTiledCopy>[0]): TiledCopy {
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

/** A TiledCopy in the format that is asked for. */
export function copyOutput(ctx: CuteContext, copy: TiledCopy, report: Report, marked?: Marked): string {
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

function reportOutput(ctx: CuteContext, report: Report): string {
  if (ctx.format === "json") return reportJson(report);
  if (ctx.format === "svg") return svgOfPanels(report.panels());
  if (ctx.format === "html") return htmlPage(report.title, reportText(report), report.panels(), report.owned());
  return reportText(report) + (ctx.args.options.has("grid") ? `\n${textOfPanels(report.panels())}` : "");
}

// ---- values of options ----

function threadOf(ctx: CuteContext): number | undefined {
  return indexOf(ctx, "thread");
}

function indexOf(ctx: CuteContext, name: "thread" | "warp"): number | undefined {
  const word = ctx.args.options.get(name);
  if (!word) return undefined;
  if (!/^\d+$/.test(word.text)) ctx.fail(word, `--${name} needs a ${name} index, not '${word.text}'`);
  return Number(word.text);
}

/** The threads that drawings point out: the one of --thread, those of --warp. */
function markedOf(ctx: CuteContext, thread: number | undefined, threads: number): Marked | undefined {
  const { options } = ctx.args;
  const warp = indexOf(ctx, "warp");
  if (thread !== undefined && thread >= threads) ctx.fail(options.get("thread"), `thread ${thread} is outside of the ${threads} threads`);
  if (warp !== undefined && warp * 32 >= threads) ctx.fail(options.get("warp"), `warp ${warp} is outside of the ${threads} threads`);
  return thread === undefined && warp === undefined ? undefined : (t) => t === thread || Math.floor(t / 32) === warp;
}

function dtype(ctx: CuteContext) {
  const word = ctx.args.options.get("dtype");
  const name = word?.text.replace(/^(cute|cutlass)::/, "") ?? "half_t";
  return numericTypes.get(name) ?? ctx.fail(word, `unknown element type '${name}'`);
}

/** `4,1,1` as numbers. */
export function shapeList(ctx: CuteContext, word: Word): number[] {
  const parts = word.text.replace(/^\((.*)\)$/, "$1").split(/[,x]/);
  return parts.map((p) =>
    /^_?\d+$/.test(p.trim()) ? Number(p.trim().replace("_", "")) : ctx.fail(word, `expected numbers like 64,16,16, found '${word.text}'`),
  );
}

/** `4,1,1`, `(4,1,1)`, `(8,16):(16,1)` or CuTe code, as a layout; numbers are static, a tensor's as they are written. */
function listLayout(ctx: CuteContext, word: Word, order?: "left" | "right"): Layout {
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
function tileModes(ctx: CuteContext, word: Word): readonly Term[] {
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

/** `triton-tensor-layout`: shows who holds what of a tensor, as Triton's tool of that name does, and more. */

import { encodingFor } from "../dialects/ttg/legacy-encodings/index.js";
import type { Attribute } from "../ir/attribute.js";
import { RankedTensorType } from "../ir/builtin-types.js";
import { attrText } from "../ir/text-hook.js";
import type { EncodingParams } from "../layout/encoding-params.js";
import { encodingText } from "../layout/encoding-text.js";
import { elementSteps, layoutFacts } from "../layout/explain-layout.js";
import { LayoutError } from "../layout/layout-error.js";
import { printHwView, printTensorView, type Window } from "../layout/print-layout.js";
import { fromBytes, toBytes } from "../support/utf8.js";
import { THEMES } from "../tui/draw/theme.js";
import { EXIT, type Io } from "./io.js";
import { answerCases } from "./layout-algebra.js";
import { type DrawingOptions, layoutHtml, layoutSvg } from "./layout-drawing.js";
import { defaultEncoding, inferType } from "./layout-infer.js";
import {
  asTriton,
  distributedOf,
  elementBits,
  layoutOf,
  readAliases,
  readAttr,
  readInput,
  readType,
  staticTensor,
  systemMessage,
  type TensorLayout,
  UserError,
} from "./layout-input.js";
import { jsonText, layoutJson } from "./layout-json.js";
import { ENCODING_KINDS, kindsText } from "./layout-kinds.js";
import {
  conflictReport,
  conflictText,
  conversionReport,
  conversionText,
  threadElements,
  threadNumber,
  threadText,
} from "./layout-moves.js";
import { layoutOfValue } from "./layout-value.js";
import { runMain } from "./node-io.js";
import { type LayoutFormat, type LayoutOption, type LayoutValues, TRITON_TENSOR_LAYOUT } from "./options/layout.js";
import { dashed, shortened } from "./options/option.js";
import { readCommandLine } from "./options/read.js";
import { linesAsPage, linesAsSvg } from "./text-page.js";

export const run = (argv?: readonly string[]): Promise<void> => runMain(main, argv);

/** The most places that a text lists: each element of the largest tensor that Triton takes, held by four threads. */
const MAX_PLACES = 2 ** 22;

type Write = (text: string) => void;
type Options = LayoutValues;

export async function main(argv: readonly string[], io: Io): Promise<number> {
  const line = readCommandLine(TRITON_TENSOR_LAYOUT, argv.map(toBytes));
  if ("print" in line) {
    io.stdout.write(line.print);
    return EXIT.ok;
  }
  const [extra] = "error" in line ? [] : line.words;
  if ("error" in line || extra !== undefined) {
    const error = "error" in line ? line.error : `unexpected argument '${shortened(extra!)}'; layouts are given with -l. Try --help`;
    io.stderr.write(`triton-tensor-layout: ${error}\n`);
    return EXIT.badInput;
  }
  try {
    const shown = async (write: Write) =>
      line.command === "algebra" ? algebraCommand(line.values.i, io, write) : print(line.values, io, write);
    const file = line.values.o;
    if (file === "-" || file === "") return await shown((text) => io.stdout.write(text));
    const pieces: string[] = [];
    const code = await shown((text) => void pieces.push(text));
    writeFile(io, file, pieces.join(""));
    return code;
  } catch (error) {
    const problem = error instanceof LayoutError ? bad(error.message) : error;
    if (!(problem instanceof UserError)) throw error;
    io.stderr.write(problem.message);
    return problem.code;
  }
}

function writeFile(io: Io, file: string, text: string): void {
  try {
    io.writeFile(fromBytes(file), text);
  } catch (error) {
    throw asTriton(`Error: ${systemMessage(error)} : unable to open ${file} for output`);
  }
}

async function print(given: LayoutValues, io: Io, write: Write): Promise<number> {
  const options = await withoutGluon(given);
  const { format } = options;
  if (options.as !== undefined) {
    for (const line of await gluonLines(options, io)) write(`${line}\n`);
    return EXIT.ok;
  }
  if (options.kinds) {
    write(format === "json" ? jsonText(ENCODING_KINDS) : kindsText());
    return EXIT.ok;
  }
  if (options.value !== undefined) {
    const file = options.i;
    if (!file) throw bad("--value needs the file: -i kernel.ttgir");
    present([await layoutOfValue(io, file, options.value)], options, format, write);
    return EXIT.ok;
  }
  const typeText = options.t ?? "";
  if (typeText === "") throw asTriton("Must specify the tensor type argument");
  if (options.infer !== undefined) {
    const attr = options.l !== undefined ? readAttr(options.l, "-l") : undefined;
    write(inferType(options.infer, typeText, attr, options.arg));
    return EXIT.ok;
  }
  const type = readType(typeText);
  if (options.default) {
    write(defaultEncoding(staticTensor(type, typeText).params.shape, options.numWarps, options.threadsPerWarp, options.numCtas));
    return EXIT.ok;
  }
  if (!RankedTensorType.is(type)) throw asTriton(`Invalid tensor type argument: ${typeText}`);
  const tensor = staticTensor(type, typeText).params;
  const layouts = await layoutsOf(options, io, tensor.encoding);
  const tensors = layouts.map(([name, attr]) => layoutOf(attr, tensor.shape, tensor.elementType, name));
  present(tensors, options, format, write);
  return EXIT.ok;
}

/** A layout that is written as Gluon does: a call. */
const IS_GLUON = /^\s*(?:\w+\.)*\w+Layout(?:\.\w+)?\s*\(/;

/** The options with layouts in Gluon's source as attributes. */
async function withoutGluon(options: LayoutValues): Promise<LayoutValues> {
  const changed: { -readonly [K in "l" | "convert" | "conflicts"]?: string } = {};
  for (const name of ["l", "convert", "conflicts"] as const) {
    const text = options[name];
    if (text === undefined || !IS_GLUON.test(text)) continue;
    const { readGluonLayout } = await import("../frontend/gluon/layouts/source.js");
    const params = readGluonLayout(fromBytes(text));
    if ("error" in params) throw bad(`${dashed(name)}: ${shortened(params.error)}`);
    changed[name] = encodingText(params);
  }
  return { ...options, ...changed };
}

/** `--as gluon`: one line a layout. */
async function gluonLines(options: LayoutValues, io: Io): Promise<readonly string[]> {
  const { gluonSource } = await import("../frontend/gluon/layouts/source.js");
  const source = (params: EncodingParams | undefined, text: string): string => {
    const written = params && gluonSource(params);
    return written ?? raiseBad(`Gluon has no layout for ${shortened(text)}`);
  };
  if (options.value !== undefined) {
    if (!options.i) throw bad("--value needs the file: -i kernel.ttgir");
    const { params, text } = await layoutOfValue(io, options.i, options.value);
    return [source(params, text)];
  }
  const layouts = await layoutsOf(options, io, undefined);
  if (layouts.length === 0) throw bad("--as needs a layout: -l ATTR, -i FILE or --value %23");
  // How wide elements are matters for attributes of older Tritons alone.
  const bits = options.t === undefined ? 16 : elementBits(staticTensor(readType(options.t), options.t).params.elementType);
  // A file has aliases of other attributes too.
  return layouts.flatMap(([name, attr]) => {
    const params = encodingFor(attr, bits);
    if (name !== undefined && !params) return [];
    const written = source(params, attrText(attr));
    return [name === undefined ? written : `${name.slice(1)} = ${written}`];
  });
}
function raiseBad(message: string): never {
  throw bad(message);
}

/** The layouts asked for: those of a file first, then that of `-l`, else the one that the type has. */
async function layoutsOf(
  options: Options,
  io: Io,
  ofType: Attribute | undefined,
): Promise<readonly (readonly [name: string | undefined, attr: Attribute])[]> {
  const layouts: [string | undefined, Attribute][] = [];
  const file = options.i;
  if (file) {
    const aliases = await readAliases(io, file);
    const names = options.aliasNames?.split(",") ?? [...aliases.keys()];
    for (const name of names) {
      const attr = aliases.get(name);
      if (!attr) throw asTriton(`Can't find the layout attribute: ${name}`);
      layouts.push([`#${name}`, attr]);
    }
  }
  if (options.l) layouts.push([undefined, readAttr(options.l, "-l")]);
  else if (!file && ofType) layouts.push([undefined, ofType]);
  return layouts;
}

/** Shows layouts in the form asked for. */
function present(tensors: readonly TensorLayout[], options: Options, format: LayoutFormat, write: Write): void {
  const second = options.convert !== undefined ? "convert" : options.conflicts !== undefined ? "conflicts" : undefined;
  if (second) return presentPair(only(tensors, second), second, options, format, write);
  if (options.facts || options.element !== undefined) return presentLines(tensors, options, format, write);
  if (format === "svg" || format === "html") {
    const drawing = drawingOptions(tensors, options);
    return write(format === "html" ? layoutHtml(tensors, drawing) : layoutSvg(only(tensors, "format"), drawing));
  }
  const thread = options.thread;
  if (format === "json") {
    const described = tensors.map((tensor) => (thread === undefined ? layoutJson(tensor.layout) : threadElements(tensor, thread)));
    if (tensors.length === 1 && tensors[0]!.name === undefined) return write(jsonText(described[0]));
    return write(jsonText(tensors.map(({ name, text }, i) => ({ name, attribute: text, layout: described[i] }))));
  }
  if (options.crop !== undefined && options.useHwView) throw bad("--crop shows a part of the tensor: it does not go with --use-hw-view");
  // Everything is checked before anything is written.
  const bodies = tensors.map((tensor): (() => void) => {
    const emit = (line: string): void => write(`${line}\n`);
    if (thread !== undefined) {
      const elements = threadElements(tensor, thread);
      return () => write(threadText(elements));
    }
    if (options.useHwView) {
      checkLength(tensor, tensor.shape);
      return () => printHwView(tensor.layout, emit);
    }
    const window = windowOf(options, tensor.shape);
    checkLength(tensor, window ? window.map(([from, to]) => to - from) : tensor.shape);
    return () => printTensorView(tensor.layout, emit, window);
  });
  tensors.forEach(({ name, text }, i) => {
    write(`Print layout attribute: ${name === undefined ? "" : `${name} = `}${text}\n`);
    bodies[i]!();
    if (options.aliasNames !== undefined && name !== undefined) write("\n");
  });
}

/** Throws where a view of `shown` elements, each with all of its owners, is too long. Shapes are in elements. */
function checkLength({ layout, shape }: TensorLayout, shown: readonly number[]): void {
  const places = shown.reduce((count, size, d) => count * (size / shape[d]!), layout.getTotalInDimSize());
  if (places > MAX_PLACES) throw bad(`${places} places are too many for a text (at most ${MAX_PLACES}): choose a part with --crop`);
}

function presentPair(first: TensorLayout, option: "convert" | "conflicts", options: Options, format: LayoutFormat, write: Write): void {
  if (format === "svg" || format === "html") throw bad(`${dashed(option)} is written as text or json, not as ${format}`);
  const other = layoutOf(readAttr(options[option]!, dashed(option)), first.shape, first.elementType);
  if (option === "convert") {
    const report = conversionReport(first, other, options.thread);
    return write(format === "json" ? jsonText(report) : conversionText(report, first.layout));
  }
  const report = conflictReport(first, other, options.vecBytes);
  write(format === "json" ? jsonText(report) : conflictText(report, first.bits));
}

function drawingOptions(tensors: readonly TensorLayout[], options: Options): DrawingOptions {
  const { colorBy, thread } = options;
  return {
    colorBy,
    window: tensors[0] && windowOf(options, tensors[0].shape),
    thread:
      thread === undefined || !tensors[0]
        ? undefined
        : (distributedOf(tensors[0], "-l with --thread"), threadNumber(thread, tensors[0].layout)),
  };
}

/** The lines of `--element` and `--facts`. */
function presentLines(tensors: readonly TensorLayout[], options: Options, format: LayoutFormat, write: Write): void {
  if (format === "json") throw bad(`--${options.facts ? "facts" : "element"} is written as text, svg or html, not as json`);
  const blocks = tensors.map((tensor) => {
    const name = tensor.name === undefined ? "" : `${tensor.name} = `;
    return [`Print layout attribute: ${name}${tensor.text}`, ...explained(options, tensor)];
  });
  const lines = blocks.flatMap((block, i) => (i === 0 ? block : ["", ...block]));
  if (format === "text") write(lines.map((line) => `${line}\n`).join(""));
  else if (format === "svg") write(toBytes(linesAsSvg(tensors[0]!.text, lines, THEMES.light)));
  else
    write(
      toBytes(
        linesAsPage(
          tensors[0]!.text,
          lines.slice(1).map((line) => ` ${line}`),
          THEMES.light,
        ),
      ),
    );
}

function explained(options: Options, { params, shape, layout, bits }: TensorLayout): readonly string[] {
  if (options.facts) return layoutFacts(params, shape, layout, bits);
  const text = options.element!;
  const at = text.split(",").map((part) => (/^\s*\d{1,9}\s*$/.test(part) ? Number(part) : Number.NaN));
  if (at.length !== shape.length || at.some((c, d) => !(c < shape[d]!)))
    throw bad(`--element needs a coordinate below ${shape.join(", ")} for each of ${shape.length} dimensions, not '${shortened(text)}'`);
  return elementSteps(params, shape, layout, at);
}

/** `--crop 0:16,0:32`; an end may be left out. */
function windowOf(options: Options, shape: readonly number[]): Window | undefined {
  const text = options.crop;
  if (text === undefined) return undefined;
  const parts = text.split(",");
  if (parts.length !== shape.length) throw bad(`--crop needs a range for each of ${shape.length} dimensions, not '${shortened(text)}'`);
  return parts.map((part, d): [number, number] => {
    const [, from, to] = /^\s*(\d{0,9}):(\d{0,9})\s*$/.exec(part) ?? [];
    if (from === undefined || to === undefined) throw bad(`--crop needs ranges like 0:16,0:32, not '${shortened(text)}'`);
    const range: [number, number] = [Number(from), to === "" ? shape[d]! : Math.min(Number(to), shape[d]!)];
    if (range[0] >= range[1]) throw bad(`--crop ${shortened(text)} leaves nothing of dimension ${d}, which has ${shape[d]} elements`);
    return range;
  });
}

function algebraCommand(file: string | undefined, io: Io, write: Write): number {
  if (!file) throw bad("algebra needs a file of cases: -i CASES.json");
  let cases: unknown;
  try {
    cases = JSON.parse(readInput(io, file));
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw bad(`${file} is no JSON: ${shortened((error as Error).message)}`);
  }
  const answered = answerCases(cases);
  if ("error" in answered) throw bad(`${file}: ${answered.error}`);
  write(`[\n${answered.answers.map((item) => JSON.stringify(item)).join(",\n")}\n]\n`);
  if (answered.failed === 0) return EXIT.ok;
  io.stderr.write(
    `triton-tensor-layout: ${answered.failed} of ${answered.answers.length} cases could not be answered; see their 'error'\n`,
  );
  return EXIT.badInput;
}

function only(tensors: readonly TensorLayout[], option: LayoutOption): TensorLayout {
  const [first, second] = tensors;
  if (!first) throw bad(`${dashed(option)} needs a layout: -l ATTR`);
  if (second) throw bad(`${dashed(option)} is for one layout: choose it with -alias-names`);
  return first;
}

function bad(message: string): UserError {
  return new UserError(`error: ${message}\n`);
}

/** `triton-tensor-layout`: shows who holds what of a tensor, as Triton's tool of that name does, and more. */

import type { Attribute } from "../ir/attribute.js";
import { RankedTensorType } from "../ir/builtin-types.js";
import { LayoutError } from "../layout/layout-error.js";
import { printHwView, printTensorView, type Window } from "../layout/print-layout.js";
import { fromBytes, toBytes } from "../support/utf8.js";
import { EXIT, type Io } from "./io.js";
import { answerCases } from "./layout-algebra.js";
import {
  COLOR_BY,
  type ColorBy,
  LAYOUT_FORMATS,
  type LayoutArgs,
  type LayoutFormat,
  type LayoutOption,
  layoutHelp,
  parseLayoutArgs,
  shortened,
  shown,
} from "./layout-args.js";
import { type DrawingOptions, layoutHtml, layoutSvg } from "./layout-drawing.js";
import { defaultEncoding, inferType } from "./layout-infer.js";
import {
  asTriton,
  distributedOf,
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
import { VERSION } from "./version.js";

export const run = (argv?: readonly string[]): Promise<void> => runMain(main, argv);

type Write = (text: string) => void;
type Options = ReadonlyMap<LayoutOption, string>;

export function main(argv: readonly string[], io: Io): number {
  const args = parseLayoutArgs(argv.map(toBytes));
  if ("error" in args) {
    io.stderr.write(`triton-tensor-layout: ${args.error}\n`);
    return EXIT.badInput;
  }
  if (args.options.has("help") || args.options.has("version")) {
    io.stdout.write(args.options.has("help") ? layoutHelp() : `triton-tensor-layout ${VERSION}\n`);
    return EXIT.ok;
  }
  try {
    const file = args.options.get("o") ?? "-";
    if (file === "-" || file === "") return answer(args, io, (text) => io.stdout.write(text));
    const pieces: string[] = [];
    const code = answer(args, io, (text) => void pieces.push(text));
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

function answer({ algebra, options }: LayoutArgs, io: Io, write: Write): number {
  const format = choice(options, "format", LAYOUT_FORMATS) ?? "text";
  if (algebra) return algebraCommand(options, io, write);
  if (options.has("kinds")) {
    write(format === "json" ? jsonText(ENCODING_KINDS) : kindsText());
    return EXIT.ok;
  }
  if (options.has("value")) {
    const file = options.get("i");
    if (!file) throw bad("--value needs the file: -i kernel.ttgir");
    present([layoutOfValue(io, file, options.get("value")!)], options, format, write);
    return EXIT.ok;
  }
  const typeText = options.get("t") ?? "";
  if (typeText === "") throw asTriton("Must specify the tensor type argument");
  if (options.has("infer")) {
    const attr = options.has("l") ? readAttr(options.get("l")!, "-l") : undefined;
    write(inferType(options.get("infer")!, typeText, attr, options.get("arg")));
    return EXIT.ok;
  }
  const type = readType(typeText);
  if (options.has("default")) {
    const sizes = (["num-warps", "threads-per-warp", "num-ctas"] as const).map((name, i) => powerOf2(options, name, [4, 32, 1][i]!));
    write(defaultEncoding(staticTensor(type, typeText).params.shape, sizes[0]!, sizes[1]!, sizes[2]!));
    return EXIT.ok;
  }
  if (!RankedTensorType.is(type)) throw asTriton(`Invalid tensor type argument: ${typeText}`);
  const tensor = staticTensor(type, typeText).params;
  const tensors = layoutsOf(options, io, tensor.encoding).map(([name, attr]) => layoutOf(attr, tensor.shape, tensor.elementType, name));
  present(tensors, options, format, write);
  return EXIT.ok;
}

/** The layouts asked for: those of a file first, then that of `-l`, else the one that the type has. */
function layoutsOf(
  options: Options,
  io: Io,
  ofType: Attribute | undefined,
): readonly (readonly [name: string | undefined, attr: Attribute])[] {
  const layouts: [string | undefined, Attribute][] = [];
  const file = options.get("i");
  if (file) {
    const aliases = readAliases(io, file);
    const names = options.get("alias-names")?.split(",") ?? [...aliases.keys()];
    for (const name of names) {
      const attr = aliases.get(name);
      if (!attr) throw asTriton(`Can't find the layout attribute: ${name}`);
      layouts.push([`#${name}`, attr]);
    }
  }
  if (options.get("l")) layouts.push([undefined, readAttr(options.get("l")!, "-l")]);
  else if (!file && ofType) layouts.push([undefined, ofType]);
  return layouts;
}

/** Shows layouts in the form asked for. */
function present(tensors: readonly TensorLayout[], options: Options, format: LayoutFormat, write: Write): void {
  const second = options.has("convert") ? "convert" : options.has("conflicts") ? "conflicts" : undefined;
  if (second) return presentPair(only(tensors, second), second, options, format, write);
  if (format === "svg" || format === "html") {
    const drawing = drawingOptions(tensors, options);
    return write(format === "html" ? layoutHtml(tensors, drawing) : layoutSvg(only(tensors, "format"), drawing));
  }
  const thread = options.get("thread");
  if (format === "json") {
    const described = tensors.map((tensor) => (thread === undefined ? layoutJson(tensor.layout) : threadElements(tensor, thread)));
    if (tensors.length === 1 && tensors[0]!.name === undefined) return write(jsonText(described[0]));
    return write(jsonText(tensors.map(({ name, text }, i) => ({ name, attribute: text, layout: described[i] }))));
  }
  if (options.has("crop") && options.has("use-hw-view")) throw bad("--crop shows a part of the tensor: it does not go with --use-hw-view");
  // Everything is checked before anything is written.
  const bodies = tensors.map((tensor): (() => void) => {
    const emit = (line: string): void => write(`${line}\n`);
    if (thread !== undefined) {
      const elements = threadElements(tensor, thread);
      return () => write(threadText(elements));
    }
    if (options.has("use-hw-view")) return () => printHwView(tensor.layout, emit);
    const window = windowOf(options, tensor.shape);
    return () => printTensorView(tensor.layout, emit, window);
  });
  tensors.forEach(({ name, text }, i) => {
    write(`Print layout attribute: ${name === undefined ? "" : `${name} = `}${text}\n`);
    bodies[i]!();
    if (options.has("alias-names") && name !== undefined) write("\n");
  });
}

function presentPair(first: TensorLayout, option: "convert" | "conflicts", options: Options, format: LayoutFormat, write: Write): void {
  if (format === "svg" || format === "html") throw bad(`${shown(option)} is written as text or json, not as ${format}`);
  const other = layoutOf(readAttr(options.get(option)!, shown(option)), first.shape, first.elementType);
  if (option === "convert") {
    const report = conversionReport(first, other, options.get("thread"));
    return write(format === "json" ? jsonText(report) : conversionText(report, first.layout));
  }
  const report = conflictReport(first, other, options.get("vec-bytes") ?? "16");
  write(format === "json" ? jsonText(report) : conflictText(report, first.bits));
}

function drawingOptions(tensors: readonly TensorLayout[], options: Options): DrawingOptions {
  const colorBy: ColorBy | undefined = choice(options, "color-by", COLOR_BY);
  const thread = options.get("thread");
  return {
    colorBy,
    window: tensors[0] && windowOf(options, tensors[0].shape),
    thread:
      thread === undefined || !tensors[0]
        ? undefined
        : (distributedOf(tensors[0], "-l with --thread"), threadNumber(thread, tensors[0].layout)),
  };
}

/** `--crop 0:16,0:32`; an end may be left out. */
function windowOf(options: Options, shape: readonly number[]): Window | undefined {
  const text = options.get("crop");
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

function algebraCommand(options: Options, io: Io, write: Write): number {
  const file = options.get("i");
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
  if (!first) throw bad(`${shown(option)} needs a layout: -l ATTR`);
  if (second) throw bad(`${shown(option)} is for one layout: choose it with -alias-names`);
  return first;
}

function choice<T extends string>(options: Options, name: LayoutOption, choices: readonly T[]): T | undefined {
  const text = options.get(name);
  if (text === undefined) return undefined;
  return choices.find((item) => item === text) ?? fail(`${shown(name)} knows ${choices.join(", ")}, not '${shortened(text)}'`);
}
function powerOf2(options: Options, name: LayoutOption, otherwise: number): number {
  const text = options.get(name);
  if (text === undefined) return otherwise;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  return value >= 1 && (value & (value - 1)) === 0 ? value : fail(`${shown(name)} must be a power of two, not '${shortened(text)}'`);
}
function bad(message: string): UserError {
  return new UserError(`error: ${message}\n`);
}
function fail(message: string): never {
  throw bad(message);
}

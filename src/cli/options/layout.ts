/** The options of `triton-tensor-layout`. The first of them are those of Triton's tool of that name; all may begin with one dash. */
import { anyText, choice, FLAG, file, type OptionTable, powerOf2, type Values } from "./option.js";
import type { Program } from "./read.js";

/** Output formats. */
export const LAYOUT_FORMATS = ["text", "json", "svg", "html"] as const;
export type LayoutFormat = (typeof LAYOUT_FORMATS)[number];

/** The property that a drawing's colours show. */
export const COLOR_BY = ["thread", "warp", "register", "block", "bank"] as const;
export type ColorBy = (typeof COLOR_BY)[number];

const TRITON = "As in Triton's tool";
const MORE = "More";
const OTHER = "Other";

const FILES = {
  i: { type: file(), group: TRITON, help: "print the layouts that the aliases of a file stand for; - is standard input" },
  o: { type: file(), group: TRITON, help: "where the output goes; - is standard output", default: "-" },
} as const satisfies OptionTable;

export const LAYOUT_OPTIONS = {
  l: {
    type: anyText("ATTR"),
    group: TRITON,
    help: "the layout, as an attribute: #ttg.blocked<{...}>, in the older #triton_gpu. spelling, or as Gluon writes it: gl.BlockedLayout(...)",
  },
  t: { type: anyText("TYPE"), group: TRITON, help: "the tensor, as a type: tensor<16x16xf16>" },
  ...FILES,
  "alias-names": { type: anyText("A,B"), group: TRITON, help: "only these aliases of the file" },
  "use-hw-view": { type: FLAG, group: TRITON, help: "what each register of each thread holds, instead of who holds each element" },
  format: { type: choice(...LAYOUT_FORMATS), group: MORE, help: "how the layout is written", default: "text" },
  as: { type: choice("gluon"), group: MORE, help: "the layout as source of another language, which needs no tensor" },
  crop: { type: anyText("0:16,0:32"), group: MORE, help: "only this part of the tensor" },
  "color-by": {
    type: choice(...COLOR_BY),
    group: MORE,
    help: "svg and html: what colours tell apart; bank is for shared memory",
    defaultText: "warp, or bank",
  },
  thread: { type: anyText("T"), group: MORE, help: "what thread T owns; with --convert, where its registers come from (or: all)" },
  element: { type: anyText("1,3"), group: MORE, help: "how this element becomes CTA, warp, lane and register (or an offset) and back" },
  facts: {
    type: FLAG,
    group: MORE,
    help: "what follows from the layout: tile of a CTA, elements per thread, orders; phases of swizzled memory",
  },
  value: { type: anyText("%23"), group: MORE, help: "the layout of a value of the file given with -i (in a function: @name:%23)" },
  kinds: { type: FLAG, group: MORE, help: "every kind of encoding with its fields" },
  default: { type: FLAG, group: MORE, help: "the default blocked encoding of the type" },
  "num-warps": { type: powerOf2("N", 2 ** 19), group: MORE, help: "with --default: warps of a CTA", default: 4 },
  "threads-per-warp": { type: powerOf2("N", 2 ** 19), group: MORE, help: "with --default: threads of a warp", default: 32 },
  "num-ctas": { type: powerOf2("N", 2 ** 19), group: MORE, help: "with --default: CTAs of a cluster", default: 1 },
  infer: {
    type: anyText("OP"),
    group: MORE,
    help: "the result type of an op on a tensor of this layout: reshape, trans, expand_dims, join, ...",
  },
  arg: { type: anyText("JSON"), group: MORE, help: "with --infer: the op's argument, a shape, an order or an axis" },
  convert: { type: anyText("ATTR"), group: MORE, help: "what converting to a second layout moves" },
  conflicts: { type: anyText("ATTR"), group: MORE, help: "bank conflicts of accessing the shared layout -l from this distributed one" },
  "vec-bytes": { type: powerOf2("N", 16), group: MORE, help: "with --conflicts: bytes of the widest access", default: 16 },
  color: { type: choice("auto", "always", "never"), group: OTHER, help: "accepted: text has no colours", default: "auto" },
} as const satisfies OptionTable;

export type LayoutOption = keyof typeof LAYOUT_OPTIONS;
export type LayoutValues = Values<typeof LAYOUT_OPTIONS>;

export const TRITON_TENSOR_LAYOUT = {
  name: "triton-tensor-layout",
  refusesTwice: true,
  commands: {
    "": {
      summary: "Shows which thread and register of a GPU hold which element of a tensor, or where it is in shared memory.",
      usage: [
        "-l ATTR -t TYPE [options]",
        "-i FILE -t TYPE [-alias-names=A,B] [options]",
        "-i FILE --value %23 [options]",
        "--default -t TYPE",
        "-l ATTR --as gluon",
        "algebra -i CASES.json",
      ],
      options: LAYOUT_OPTIONS,
      after: `Examples:
  triton-tensor-layout -t 'tensor<4x32xf16>' \\
      -l '#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>'
  triton-tensor-layout -i kernel.ttgir --value %23 --format html -o layout.html`,
    },
    algebra: {
      summary: "Computes a list of operations on linear layouts.",
      usage: ["-i CASES.json"],
      options: FILES,
    },
  },
} as const satisfies Program;

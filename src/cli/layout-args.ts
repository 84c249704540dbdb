/**
 * The arguments of `triton-tensor-layout`: flags with one or two dashes, values after `=` or as the next argument, in the
 * way of LLVM's command lines.
 */
import { nearest } from "../support/nearest.js";

/** What is written instead of text. */
export const LAYOUT_FORMATS = ["text", "json", "svg", "html"] as const;
export type LayoutFormat = (typeof LAYOUT_FORMATS)[number];

/** What a drawing's colours tell apart. */
export const COLOR_BY = ["thread", "warp", "register", "block", "bank"] as const;
export type ColorBy = (typeof COLOR_BY)[number];

interface Option {
  /** What follows; absent for a flag. */
  readonly value?: string;
  readonly summary: string;
}

/** Every option. One record feeds the reader and `--help`; the first seven are Triton's own. */
export const LAYOUT_OPTIONS = {
  l: { value: "ATTR", summary: "the layout, as an attribute: #ttg.blocked<{...}>, or in the older #triton_gpu. spelling" },
  t: { value: "TYPE", summary: "the tensor, as a type: tensor<16x16xf16>" },
  i: { value: "FILE", summary: "print the layouts that the aliases of a file stand for (- is standard input)" },
  o: { value: "FILE", summary: "write there instead of standard output" },
  "alias-names": { value: "A,B", summary: "only these aliases of the file" },
  "use-hw-view": { summary: "what each register of each thread holds, instead of who holds each element" },
  format: { value: "FORMAT", summary: "text (default), json, svg, html" },
  crop: { value: "0:16,0:32", summary: "only this part of the tensor" },
  "color-by": { value: "WHAT", summary: "svg and html: colours by thread, warp, register, block; of shared memory by bank" },
  thread: { value: "T", summary: "what thread T owns; with --convert, where its registers come from (or: all)" },
  value: { value: "%23", summary: "the layout of a value of the file given with -i (in a function: @name:%23)" },
  kinds: { summary: "every kind of encoding with its fields" },
  default: { summary: "the default blocked encoding of the type" },
  "num-warps": { value: "N", summary: "with --default: warps of a CTA (4)" },
  "threads-per-warp": { value: "N", summary: "with --default: threads of a warp (32)" },
  "num-ctas": { value: "N", summary: "with --default: CTAs of a cluster (1)" },
  infer: { value: "OP", summary: "the result type of an op on a tensor of this layout: reshape, trans, expand_dims, join, ..." },
  arg: { value: "JSON", summary: "with --infer: the op's argument, a shape, an order or an axis" },
  convert: { value: "ATTR", summary: "what converting to a second layout moves" },
  conflicts: { value: "ATTR", summary: "bank conflicts of accessing the shared layout -l from this distributed one" },
  "vec-bytes": { value: "N", summary: "with --conflicts: bytes of the widest access (16)" },
  color: { value: "WHEN", summary: "accepted; text has no colours" },
  help: { summary: "this text" },
  version: { summary: "the version of this program" },
} as const satisfies Readonly<Record<string, Option>>;

export type LayoutOption = keyof typeof LAYOUT_OPTIONS;

export interface LayoutArgs {
  readonly algebra: boolean;
  /** Text of each option given; "" for a flag that is on. */
  readonly options: ReadonlyMap<LayoutOption, string>;
}

/** Reads the arguments; `error` is one line for the user. */
export function parseLayoutArgs(argv: readonly string[]): LayoutArgs | { readonly error: string } {
  const options = new Map<LayoutOption, string>();
  let algebra = false;
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i]!;
    if (!arg.startsWith("-") || arg === "-") {
      if (arg !== "algebra" || algebra) return { error: `unexpected argument '${shortened(arg)}'; layouts are given with -l. Try --help` };
      algebra = true;
      continue;
    }
    const text = arg.replace(/^--?/, "");
    const equals = text.indexOf("=");
    const name = equals < 0 ? text : text.slice(0, equals);
    if (!isOption(name)) {
      const near = nearest(name.slice(0, 40), Object.keys(LAYOUT_OPTIONS));
      const meant = near === undefined ? "" : `; did you mean '${near.length === 1 ? "-" : "--"}${near}'?`;
      return { error: `unknown command line argument '${shortened(arg)}'${meant} Try --help` };
    }
    if (options.has(name)) return { error: `${shown(name)} may be given only once` };
    if ("value" in LAYOUT_OPTIONS[name]) {
      const value = equals < 0 ? argv[++i] : text.slice(equals + 1);
      if (value === undefined) return { error: `${shown(name)} needs a value: ${(LAYOUT_OPTIONS[name] as Option).value}` };
      options.set(name, value);
      continue;
    }
    const value = equals < 0 ? "true" : text.slice(equals + 1).toLowerCase();
    if (!["true", "false", "1", "0"].includes(value)) return { error: `${shown(name)} expects true or false, not '${shortened(value)}'` };
    if (value === "true" || value === "1") options.set(name, "");
  }
  return { algebra, options };
}

function isOption(name: string): name is LayoutOption {
  return Object.hasOwn(LAYOUT_OPTIONS, name);
}

/** `-l`, `--format`. */
export function shown(name: LayoutOption): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

/** The beginning of a text that a user typed, for messages. */
export function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** The text of `--help`. */
export function layoutHelp(): string {
  const rows = (Object.entries(LAYOUT_OPTIONS) as [LayoutOption, Option][]).map(
    ([name, { value, summary }]) => `  ${`${shown(name)}${value === undefined ? "" : ` ${value}`}`.padEnd(24)} ${summary}\n`,
  );
  return `Shows which thread and register of a GPU hold which element of a tensor, or where it lies in shared memory.

usage: triton-tensor-layout -l ATTR -t TYPE [options]
       triton-tensor-layout -i FILE -t TYPE [-alias-names=A,B] [options]
       triton-tensor-layout -i FILE --value %23 [options]
       triton-tensor-layout --default -t TYPE
       triton-tensor-layout algebra -i CASES.json

${rows.join("")}
examples:
  triton-tensor-layout -l '#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>' -t 'tensor<4x32xf16>'
  triton-tensor-layout -i kernel.ttgir --value %23 --format html -o layout.html
`;
}

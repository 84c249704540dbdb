/** The options of `cute-layout` and its commands. */
import { anyText, choice, FLAG, file, type OptionTable } from "./option.js";
import { type Program, readCommandLine } from "./read.js";

export const CUTE_FORMATS = ["text", "latex", "svg", "html", "json"] as const;
const MAIN = "Options";
const OTHER = "Other";

const COMMON = {
  triton: { type: FLAG, group: MAIN, help: "the equivalent #ttg.linear attribute of thread-value layouts" },
  format: { type: choice(...CUTE_FORMATS), group: OTHER, help: "how it is written", default: "text" },
  output: { type: file(), short: "o", group: OTHER, help: "where the output goes; - is standard output", default: "-" },
  color: { type: choice("auto", "always", "never"), group: OTHER, help: "accepted: the output has no colours", default: "auto" },
} as const satisfies OptionTable;

const TILED = {
  thr: { type: anyText("SHAPE|LAYOUT"), group: MAIN, help: "threads: a static shape (4,1,1) or a layout; for mma atoms in M, N, K" },
  tile: { type: anyText("64,16,16"), group: MAIN, help: "the permutation of M, N, K (_ leaves one alone)" },
  order: {
    type: choice("row", "col"),
    group: MAIN,
    help: "order of --thr and --val given as shapes: row (GenRowMajor) or col",
    default: "col",
  },
  tensor: { type: anyText("M,N[,K]"), group: MAIN, help: "partition row-major tensors of this shape (copy: or a layout)" },
  thread: { type: anyText("T"), group: MAIN, help: "show the partition of this thread, and mark it in drawings" },
  warp: { type: anyText("W"), group: MAIN, help: "mark the elements of this warp in drawings" },
  grid: { type: FLAG, group: MAIN, help: "as text: the tiles too, as grids of threads and their values" },
} as const satisfies OptionTable;

const SHAPE = { tile: { type: anyText("16,16"), group: MAIN, help: "with --triton: the tile's shape" } } as const satisfies OptionTable;

export const CUTE_LAYOUT = {
  name: "cute-layout",
  commands: {
    "": {
      summary: "Prints CuTe layouts, TiledCopy and TiledMMA as CUTLASS does.",
      usage: ["LAYOUT", "--from-triton ATTR -t TYPE", "--atoms"],
      options: {
        "from-triton": { type: anyText("ATTR"), group: MAIN, help: "the CuTe thread-value layout of a Triton encoding (with -t TYPE)" },
        type: { type: anyText("TYPE"), short: "t", group: MAIN, help: "with --from-triton: the tensor type, tensor<16x16xf16>" },
        atoms: { type: FLAG, group: MAIN, help: "list the names of all MMA and copy operations" },
        ...SHAPE,
        ...COMMON,
      },
      after: `Examples:
  cute-layout '((_4,_8),_2):((_16,_1),_8)'
  cute-layout mma SM80_16x8x16_F32F16F16F32_TN --thr 4,1,1 --tile 64,16,16 --tensor 64,64,128 --thread 19
  cute-layout copy 'AutoVectorizingCopyWithAssumedAlignment<128>' --dtype half --thr 8,16 --val 1,8 --order row \\
              --tensor 64,128 --values arange --thread 19 --name tQsQ
  cute-layout copy SM75_U32x4_LDSM_N --mma SM80_16x8x8_F32F16F16F32_TN --thr 4,1,1 --tile 64,16,16 --format html`,
    },
    eval: {
      summary: "Runs CuTe code: 'print(coalesce(Layout<_8,_1>{}));'",
      usage: ["CODE", "--file FILE"],
      options: {
        define: {
          type: anyText("NAME=VALUE"),
          short: "D",
          repeat: true,
          group: MAIN,
          help: "a constant, type or pointer: HeadDim=128, T=half_t, 'pQ=half_t*' (repeatable)",
        },
        file: { type: file(), group: MAIN, help: "read the code from a file; - is standard input" },
        ...SHAPE,
        ...COMMON,
      },
    },
    mma: {
      summary: "A TiledMMA: its layouts, its instruction, its partitions.",
      usage: ["ATOM [options]"],
      options: { ...TILED, ...COMMON },
    },
    copy: {
      summary: "A TiledCopy: its layouts and its partitions.",
      usage: ["ATOM [options]"],
      options: {
        ...TILED,
        val: { type: anyText("SHAPE|LAYOUT"), group: MAIN, help: "values of each thread, a shape (1,8) or a layout" },
        dtype: { type: anyText("TYPE"), group: MAIN, help: "element type: half_t, half, bf16, float, ..", defaultText: "half_t" },
        mma: { type: anyText("ATOM"), group: MAIN, help: "make_tiled_copy_A/B/C for this MMA with --thr and --tile" },
        operand: { type: choice("A", "B", "C"), group: MAIN, help: "with --mma: which operand", defaultText: "A" },
        values: {
          type: choice("arange"),
          group: MAIN,
          help: "fill the source with 0, 1, 2, .., carry the copy out, print the thread's values",
        },
        name: { type: anyText("NAME"), group: MAIN, help: "the name of the destination in --values (tQsQ)", defaultText: "D" },
        ...COMMON,
      },
    },
  },
} as const satisfies Program;

/** A positional argument or option value, and where on the command line it is (for carets). */
export interface Word {
  readonly text: string;
  readonly index: number;
}

/** A command line: its arguments, the command's name among them, and what options were given. */
export interface CuteArgs {
  readonly words: readonly Word[];
  readonly options: ReadonlyMap<string, Word>;
  readonly defines: ReadonlyMap<string, Word>;
}

/** Reads a command line; `error` is one line, about the argument at `index`. */
export function readCuteArgs(
  argv: readonly string[],
): CuteArgs | { readonly print: string } | { readonly error: string; readonly index: number } {
  const line = readCommandLine(CUTE_LAYOUT, argv);
  if ("print" in line) return line;
  if ("error" in line) return { error: line.error, index: line.option === undefined ? argv.length : indexOfOption(argv, line.option) };
  const { command, written } = line;
  const words = [...(command === "" ? [] : [command]), ...line.words].map((text) => ({ text, index: argv.indexOf(text) }));
  const options = new Map<string, Word>();
  const defines = new Map<string, Word>();
  for (const [name, texts] of written)
    for (const given of texts) {
      if (given === false) continue;
      const text = given === true ? "" : given;
      const at = argv.findIndex((arg, i) => arg === text && i > 0 && argv[i - 1]!.startsWith("-"));
      const word = { text, index: at >= 0 && text !== "" ? at : indexOfOption(argv, name) };
      if (name !== "define") {
        options.set(name, word);
        continue;
      }
      const equals = text.indexOf("=");
      if (equals < 1) return { error: `--define needs NAME=VALUE, not '${text}'`, index: word.index };
      defines.set(text.slice(0, equals).trim(), { text: text.slice(equals + 1), index: word.index });
    }
  return { words, options, defines };
}

function indexOfOption(argv: readonly string[], option: string): number {
  const short = Object.entries(SHORT).find(([, name]) => name === option)?.[0];
  const names = [option, `--${option}`, ...(short === undefined ? [] : [`-${short}`])];
  const at = argv.findIndex((arg) => names.some((name) => arg === name || arg.startsWith(`${name}=`)));
  return at < 0 ? argv.length : at;
}
const SHORT: Readonly<Record<string, string>> = { t: "type", o: "output", D: "define" };

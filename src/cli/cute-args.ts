/** The arguments of `cute-layout`. Layouts may begin with anything but a dash; options take `=` or a following argument. */
import { nearest } from "../support/nearest.js";

/** A positional argument or option value, and where on the command line it stands (for carets). */
export interface Word {
  readonly text: string;
  readonly index: number;
}

/** What was asked. */
export interface CuteArgs {
  readonly words: readonly Word[];
  readonly options: ReadonlyMap<string, Word>;
  readonly defines: ReadonlyMap<string, Word>;
}

/** Every option with what follows it; undefined: a flag. One record feeds the reader and `--help`. */
export const CUTE_OPTIONS: Readonly<Record<string, { readonly value: string | undefined; readonly summary: string }>> = {
  define: { value: "NAME=VALUE", summary: "a constant, type or pointer for eval: HeadDim=128, T=half_t, 'pQ=half_t*' (repeatable)" },
  file: { value: "FILE", summary: "eval: read the code from a file (- is standard input)" },
  format: { value: "FORMAT", summary: "text (default), latex, svg, html, json" },
  output: { value: "FILE", summary: "write there instead of standard output" },
  thr: { value: "4,1,1", summary: "threads: a shape (column-major, static) or a layout; for mma atoms in M, N, K" },
  val: { value: "1,8", summary: "copy: values of each thread, a shape or a layout" },
  order: { value: "row|col", summary: "order of --thr and --val given as shapes: row (GenRowMajor) or col (default)" },
  tile: { value: "64,16,16", summary: "mma: the permutation of M, N, K (_ leaves one alone); with --triton of a layout: the tile's shape" },
  dtype: { value: "TYPE", summary: "copy: element type (half_t by default); also half, bf16, float, .." },
  mma: { value: "ATOM", summary: "copy: make_tiled_copy_A/B/C for this MMA with --thr and --tile" },
  operand: { value: "A|B|C", summary: "copy with --mma: which operand (A by default)" },
  tensor: { value: "M,N[,K]", summary: "partition row-major tensors of this shape (copy: or a layout)" },
  thread: { value: "T", summary: "show the partition of this thread" },
  values: { value: "arange", summary: "copy: fill the source with 0, 1, 2, .., carry the copy out, print the thread's values" },
  name: { value: "NAME", summary: "copy: the name of the destination in --values (tQsQ)" },
  triton: { value: undefined, summary: "the equivalent #ttg.linear attribute of thread-value layouts" },
  "from-triton": { value: "ATTR", summary: "the CuTe thread-value layout of a Triton encoding (with -t TYPE)" },
  type: { value: "TYPE", summary: "with --from-triton: the tensor type, tensor<16x16xf16>" },
  atoms: { value: undefined, summary: "list the names of all MMA and copy operations" },
  color: { value: "WHEN", summary: "accepted; the output has no colours" },
  help: { value: undefined, summary: "this text" },
  version: { value: undefined, summary: "the version of this program" },
};
const SHORT: Readonly<Record<string, string>> = { t: "type", o: "output", D: "define", h: "help" };

/** Reads the arguments; `error` is one line, about the argument at `index`. */
export function parseCuteArgs(argv: readonly string[]): CuteArgs | { readonly error: string; readonly index: number } {
  const words: Word[] = [];
  const options = new Map<string, Word>();
  const defines = new Map<string, Word>();
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i]!;
    if (arg === "-" || !arg.startsWith("-") || /^-\d/.test(arg)) {
      words.push({ text: arg, index: i });
      continue;
    }
    const [, dashes, rawName = "", inline] = /^(--?)([A-Za-z-]+)(?:=([\s\S]*))?$/.exec(arg) ?? [];
    const name = dashes === "-" ? (SHORT[rawName] ?? rawName) : rawName;
    const option = Object.hasOwn(CUTE_OPTIONS, name) ? CUTE_OPTIONS[name] : undefined;
    if (!option) {
      const near = nearest(name, Object.keys(CUTE_OPTIONS));
      return { error: `unknown option '${arg}'${near ? `; did you mean --${near}?` : ""}`, index: i };
    }
    if (option.value === undefined) {
      if (inline !== undefined) return { error: `--${name} takes no value`, index: i };
      options.set(name, { text: "", index: i });
      continue;
    }
    const text = inline ?? argv[++i];
    if (text === undefined) return { error: `--${name} needs a value: ${option.value}`, index: i - 1 };
    if (name === "define") {
      const at = text.indexOf("=");
      if (at < 1) return { error: `--define needs NAME=VALUE, not '${text}'`, index: i };
      defines.set(text.slice(0, at).trim(), { text: text.slice(at + 1), index: i });
    } else options.set(name, { text, index: i });
  }
  return { words, options, defines };
}

/** The text of `--help`. */
export function cuteHelp(): string {
  const rows = Object.entries(CUTE_OPTIONS).map(([name, o]) => [`  --${name}${o.value ? ` ${o.value}` : ""}`, o.summary] as const);
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return `usage: cute-layout LAYOUT                 print a layout and its table: '((_4,_8),_2):((_16,_1),_8)'
       cute-layout eval EXPR              run CuTe code: 'print(coalesce(Layout<_8,_1>{}));'
       cute-layout mma ATOM [options]     a TiledMMA: its layouts, its instruction, its partitions
       cute-layout copy ATOM [options]    a TiledCopy, likewise
       cute-layout --from-triton ATTR -t TYPE

${rows.map(([left, right]) => left.padEnd(width) + right).join("\n")}

examples:
  cute-layout mma SM80_16x8x16_F32F16F16F32_TN --thr 4,1,1 --tile 64,16,16 --tensor 64,64,128 --thread 19
  cute-layout copy 'AutoVectorizingCopyWithAssumedAlignment<128>' --dtype half --thr 8,16 --val 1,8 --order row \\
              --tensor 64,128 --values arange --thread 19 --name tQsQ
  cute-layout copy SM75_U32x4_LDSM_N --mma SM80_16x8x8_F32F16F16F32_TN --thr 4,1,1 --tile 64,16,16 --format html
`;
}

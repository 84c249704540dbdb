/** `tcgen05`: tensor memory, and how warps load from it and store to it. Products are in `tensor-core.ts`. */
import type { Operand } from "../../../ptx/instruction.js";
import { access, addressing } from "../access.js";
import { Stop } from "../findings.js";
import { inFlight } from "../in-flight.js";
import { type InstructionCompiler, NotModelled, type Rule } from "../instruction-compiler.js";
import { COLUMNS, groupsOf, LANES, type TensorRange } from "../tensor-memory.js";
import type { Warp } from "../warp.js";
import { wholeWarp } from "./memory.js";
import { commit, copyToTensorMemory, product } from "./tensor-core.js";

export const tcgen05: Rule = (c) => {
  const [, operation] = c.mnemonic.split(".");
  switch (operation) {
    case "alloc":
      return allocate(c);
    case "dealloc":
      return free(c);
    case "relinquish_alloc_permit":
      return c.emit((warp) => warp.cta.tensorMemory.relinquish());
    case "ld":
      return load(c);
    case "st":
      return store(c);
    case "wait::ld":
      return c.emit((warp) => inFlight(warp).waitLoads());
    case "wait::st":
      return c.emit((warp) => warp.cta.tensorMemory.waitStores(warp));
    case "fence::before_thread_sync":
    case "fence::after_thread_sync":
      return;
    case "mma":
      return product(c);
    case "cp":
      return copyToTensorMemory(c);
    case "commit":
      return commit(c);
    default:
      throw new NotModelled("");
  }
};

const elements = (operand: Operand): readonly Operand[] => (operand.kind === "vector" ? operand.elements : [operand]);

/** `tcgen05.alloc [to], columns`: a warp asks, and finds the address in shared memory. */
function allocate(c: InstructionCompiler): void {
  const columns = c.source(c.operand(1), 32);
  const space = c.op.modifiers.some((m) => m.startsWith("shared")) ? "shared" : "generic";
  const { site } = c;
  const put = access(c, space, addressing(c, c.operand(0)), 4, "write", (warp, l, { i32 }, at) => {
    const address = warp.cta.tensorMemory.allocate(warp.I[columns + l]!, site);
    if (address === undefined) throw new Stop("tensor memory");
    i32[at >> 2] = address;
  });
  c.emit((warp, mask) => {
    wholeWarp(warp, mask, c);
    put(warp, mask & -mask);
  });
}

/** `tcgen05.dealloc address, columns` */
function free(c: InstructionCompiler): void {
  const [address, columns] = [c.source(c.operand(0), 32), c.source(c.operand(1), 32)];
  c.emit((warp, mask) => {
    wholeWarp(warp, mask, c);
    warp.cta.tensorMemory.free(warp.I[address]!, warp.I[columns]!, c.site);
  });
}

/** Registers and lanes of the shape repeated once: where register r of lane l lies, in lanes and columns from the address on. */
interface Shape {
  /** Registers, and columns, of one repetition. */
  readonly registers: number;
  readonly columns: number;
  readonly row: (l: number, r: number) => number;
  readonly column: (l: number, r: number) => number;
}
const SHAPES: Readonly<Record<string, Shape>> = {
  "32x32b": { registers: 1, columns: 1, row: (l) => l, column: () => 0 },
  "16x64b": { registers: 1, columns: 2, row: (l) => 8 * (l & 1) + (l >> 2), column: (l) => (l >> 1) & 1 },
  "16x128b": { registers: 2, columns: 4, row: (l, r) => (l >> 2) + 8 * r, column: (l) => l & 3 },
  "16x256b": { registers: 4, columns: 8, row: (l, r) => (l >> 2) + 8 * (r >> 1), column: (l, r) => 2 * (l & 3) + (r & 1) },
  // The upper lanes have an offset of their own.
  "16x32bx2": { registers: 1, columns: 1, row: (l) => l & 15, column: () => 0 },
};

/** Does something for each register of each lane, with the word of tensor memory that it is. */
type ForWords = (warp: Warp, range: (range: TensorRange) => void, each: (r: number, l: number, at: number) => void) => void;

function wordsOf(c: InstructionCompiler, address: Operand, split: number, count: number): ForWords {
  const name = Object.keys(SHAPES).find((s) => c.has(s));
  if (name === undefined) throw new NotModelled("the shape");
  const { registers, columns, row, column } = SHAPES[name]!;
  // A register that packs two halves takes two columns.
  const wide = c.has("pack::16b") || c.has("unpack::16b") ? 2 : 1;
  const where = addressing(c, address);
  const at = new Float64Array(32);
  const repetitions = count / registers;
  return (warp, range, each) => {
    where(warp, -1, at);
    const quarter = warp.indexInCta & 3;
    const lows = [at[0]!, ...(split > 0 ? [at[0]! + split] : [])];
    for (const low of lows) {
      const lane = low >>> 16;
      const groups = groupsOf(name === "32x32b" ? [lane, lane + 16] : [lane]);
      const wanted = { groups, column: low & 0xffff, count: repetitions * columns * wide };
      if (low >>> 21 !== quarter) {
        warp.cta.findings.add(
          "tensor-memory",
          c.site,
          `warp ${warp.index} accesses lane ${low >>> 16} of tensor memory, which is not of its quarter`,
        );
        return;
      }
      if (!warp.cta.tensorMemory.allows(wanted, c.site)) return;
      range(wanted);
    }
    for (let r = 0; r < count; r++) {
      const [repetition, inner] = [Math.floor(r / registers), r % registers];
      for (let l = 0; l < 32; l++) {
        const base = split > 0 && l >= 16 ? lows[1]! : lows[0]!;
        const lane = ((base >>> 16) + row(l, inner)) % LANES;
        each(r, l, lane * COLUMNS + (base & 0xffff) + wide * (repetition * columns + column(l, inner)));
      }
    }
  };
}

/** `tcgen05.ld.SHAPE.xN{.pack::16b}.b32 {...}, [address]{, split}` */
function load(c: InstructionCompiler): void {
  const targets = elements(c.operand(0)).map((o) => c.dest(o, 32));
  const split = c.op.operands[2] === undefined ? 0 : c.immediate(c.op.operands[2]);
  const words = wordsOf(c, c.operand(1), split, targets.length);
  const packs = c.has("pack::16b");
  c.emit((warp, mask) => {
    wholeWarp(warp, mask, c);
    const { tensorMemory } = warp.cta;
    const from = tensorMemory.words;
    words(
      warp,
      (range) => tensorMemory.noteLoad(range, warp, c.site),
      (r, l, at) => {
        warp.I[targets[r]! + l] = packs ? (from[at]! & 0xffff) | (from[at + 1]! << 16) : from[at]!;
      },
    );
    inFlight(warp).load(targets, c.site);
  });
}

/** `tcgen05.st.SHAPE.xN{.unpack::16b}.b32 [address], {split,} {...}` */
function store(c: InstructionCompiler): void {
  const sources = elements(c.op.operands.at(-1)!).map((o) => c.source(o, 32));
  const split = c.op.operands.length > 2 ? c.immediate(c.operand(1)) : 0;
  const words = wordsOf(c, c.operand(0), split, sources.length);
  const unpacks = c.has("unpack::16b");
  c.emit((warp, mask) => {
    wholeWarp(warp, mask, c);
    const { tensorMemory } = warp.cta;
    const to = tensorMemory.words;
    words(
      warp,
      (range) => tensorMemory.noteStore(range, warp, c.site),
      (r, l, at) => {
        const word = warp.I[sources[r]! + l]!;
        if (unpacks) {
          to[at] = word & 0xffff;
          to[at + 1] = word >>> 16;
        } else to[at] = word;
      },
    );
  });
}

/** `--kinds`: the tree of encodings, each with its fields. */
import type { EncodingKind } from "../layout/encoding-params.js";

interface Field {
  readonly name: string;
  readonly type: "int" | "ints" | "bool" | "bases" | "encoding" | "pads";
  readonly what: string;
  /** The value that is not printed; a field without one must be there. */
  readonly default?: string;
}
export interface Kind {
  readonly kind: EncodingKind;
  readonly dialect: "ttg" | "ttng";
  readonly what: string;
  readonly fields: readonly Field[];
}
export interface KindGroup {
  readonly name: string;
  readonly what: string;
  readonly groups?: readonly KindGroup[];
  readonly kinds?: readonly Kind[];
}

const CGA: Field = { name: "CGALayout", type: "bases", what: "which part of the tensor each CTA of the cluster holds", default: "one CTA" };
const int = (name: string, what: string, otherwise?: string): Field => ({ name, type: "int", what, ...optional(otherwise) });
const ints = (name: string, what: string, otherwise?: string): Field => ({ name, type: "ints", what, ...optional(otherwise) });
const bool = (name: string, what: string, otherwise?: string): Field => ({ name, type: "bool", what, ...optional(otherwise) });
const optional = (otherwise: string | undefined): { default?: string } => (otherwise === undefined ? {} : { default: otherwise });
const ORDER = ints("order", "the dimensions, fastest first");
const SWIZZLE = [
  int("vec", "elements that stay together when a row is swizzled"),
  int("perPhase", "rows that are swizzled alike"),
  int("maxPhase", "number of ways in which rows are swizzled"),
  ORDER,
  CGA,
];
const WARPS = ints("warpsPerCTA", "warps along each dimension");
const SPLIT = [int("CTASplitM", "CTAs that split the rows", "1"), int("CTASplitN", "CTAs that split the columns", "1")];

/** Every kind of encoding. */
export const ENCODING_KINDS: readonly KindGroup[] = [
  {
    name: "distributed",
    what: "register, lane, warp, block -> element: who holds what",
    groups: [
      {
        name: "matrix instructions",
        what: "the accumulator of a tensor core instruction",
        kinds: [
          {
            kind: "nvidia_mma",
            dialect: "ttg",
            what: "mma (2), wgmma (3); version 1 (Volta) has no linear layout",
            fields: [
              int("versionMajor", "1 Volta, 2 Turing and Ampere, 3 Hopper"),
              int("versionMinor", "0, or 1 on Turing"),
              WARPS,
              CGA,
              ints("instrShape", "the instruction's m, n (and k)"),
            ],
          },
          {
            kind: "amd_mfma",
            dialect: "ttg",
            what: "CDNA matrix cores",
            fields: [
              int("version", "1 gfx908, 2 gfx90a, 3 gfx942, 4 gfx950"),
              WARPS,
              ints("instrShape", "m, n, k"),
              bool("isTransposed", "rows and columns of the result swapped"),
              CGA,
              ints("tilesPerWarp", "tiles that a warp computes next to each other", "ones"),
              int("elementBitWidth", "bits of an element", "32"),
            ],
          },
          {
            kind: "amd_wmma",
            dialect: "ttg",
            what: "RDNA matrix cores",
            fields: [
              int("version", "1 gfx11, 2 gfx12, 3 gfx1250"),
              bool("isTranspose", "rows and columns of the result swapped"),
              WARPS,
              CGA,
              ints("tilesPerWarp", "tiles that a warp computes next to each other", "ones"),
              ints("instrShape", "m, n, k", "[16, 16, 16]"),
            ],
          },
        ],
      },
    ],
    kinds: [
      {
        kind: "blocked",
        dialect: "ttg",
        what: "registers, lanes and warps tile the tensor as nested boxes",
        fields: [
          ints("sizePerThread", "elements of a thread along each dimension"),
          ints("threadsPerWarp", "lanes along each dimension"),
          WARPS,
          ORDER,
          CGA,
        ],
      },
      {
        kind: "slice",
        dialect: "ttg",
        what: "the parent with one dimension squeezed out",
        fields: [int("dim", "the dimension"), { name: "parent", type: "encoding", what: "any distributed encoding" }],
      },
      {
        kind: "dot_op",
        dialect: "ttg",
        what: "an operand of a dot",
        fields: [
          int("opIdx", "0 for A, 1 for B"),
          { name: "parent", type: "encoding", what: "the encoding of the dot's result" },
          int("kWidth", "consecutive elements of a thread along k", "0 under blocked"),
        ],
      },
      {
        kind: "linear",
        dialect: "ttg",
        what: "any linear map whose bases move in one dimension each",
        fields: ["register", "lane", "warp", "block"].map((name) => ({ name, type: "bases", what: `where each bit of ${name} leads` })),
      },
    ],
  },
  {
    name: "shared memory",
    what: "offset, block -> element: what lies where",
    kinds: [
      { kind: "swizzled_shared", dialect: "ttg", what: "rows with xor swizzling", fields: SWIZZLE },
      { kind: "amd_rotating_shared", dialect: "ttg", what: "swizzling that rotates from one block of rows to the next", fields: SWIZZLE },
      {
        kind: "nvmma_shared",
        dialect: "ttg",
        what: "as wgmma, tcgen05 and TMA want it",
        fields: [
          int("swizzlingByteWidth", "0, 32, 64 or 128"),
          bool("transposed", "columns are contiguous"),
          int("elementBitWidth", "bits of an element"),
          bool("fp4Padded", "8 bytes of fp4 are followed by 8 of padding", "false"),
          CGA,
          int("rank", "the rank where there is no CGALayout", "2"),
        ],
      },
      {
        kind: "padded_shared",
        dialect: "ttg",
        what: "paddings between intervals of elements",
        fields: [
          { name: "[interval:+padding, ...]", type: "pads", what: "elements inserted after every interval" },
          { name: "offset", type: "bases", what: "where each bit of the unpadded offset leads", default: "from order and shape" },
          { name: "block", type: "bases", what: "where each bit of block leads", default: "from order and shape" },
          ints("order", "the dimensions, fastest first (with shape, instead of offset and block)", "-"),
          ints("shape", "the tensor (with order)", "-"),
        ],
      },
      {
        kind: "shared_linear",
        dialect: "ttg",
        what: "any linear map",
        fields: [
          { name: "offset", type: "bases", what: "where each bit of the offset leads" },
          { name: "block", type: "bases", what: "where each bit of block leads", default: "none" },
          int("alignment", "bytes; after the braces"),
        ],
      },
    ],
  },
  {
    name: "tensor memory",
    what: "row, col -> element (Blackwell); the views of this tool do not show it",
    kinds: [
      {
        kind: "tensor_memory_encoding",
        dialect: "ttng",
        what: "blocks, first along rows",
        fields: [
          int("blockM", "64 or 128"),
          int("blockN", "columns of a block"),
          int("colStride", "1, 2 or 4 elements from column to column"),
          ...SPLIT,
          bool("twoCTAs", "two CTAs work on one block", "false"),
        ],
      },
      { kind: "tensor_memory_scales_encoding", dialect: "ttng", what: "block scales, repeated for four warps", fields: SPLIT },
    ],
  },
];

/** The tree as text. */
export function kindsText(): string {
  const lines: string[] = [];
  const writeKind = ({ kind, dialect, what, fields }: Kind, indent: string): void => {
    lines.push(`${indent}#${dialect}.${kind}: ${what}`);
    const width = Math.max(...fields.map(({ name }) => name.length));
    for (const field of fields) {
      const otherwise = field.default === undefined ? "" : ` (default: ${field.default})`;
      lines.push(`${indent}  ${field.name.padEnd(width)}  ${field.type.padEnd(8)}  ${field.what}${otherwise}`);
    }
  };
  const writeGroup = (group: KindGroup, indent: string): void => {
    lines.push(`${indent}${group.name}: ${group.what}`);
    for (const kind of group.kinds ?? []) writeKind(kind, `${indent}  `);
    for (const inner of group.groups ?? []) writeGroup(inner, `${indent}  `);
  };
  for (const group of ENCODING_KINDS) writeGroup(group, "");
  return `${lines.join("\n")}\n`;
}

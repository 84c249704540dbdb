/** The encodings of older eras, by dialect: `triton_gpu` (up to 3.2) and `ttg` as 3.3 to 3.5 spelled it. */
import type { Attribute } from "../../../ir/attribute.js";
import type { DistributedParams, EncodingParams } from "../../../layout/encoding-params.js";
import { isDistributed } from "../../../layout/encoding-params.js";
import { defaultCga } from "../../../layout/encodings/cga.js";
import { Bug } from "../../../support/assert.js";
import { encodingParams } from "../encodings/define-encoding.js";
import { defineLegacy, type LegacyDef, type LegacyReader } from "./define-legacy.js";

const SWIZZLE = { vec: "uint", perPhase: "uint", maxPhase: "uint", order: "ints", cta: "cta" } as const;

/** The attribute kinds whose spelling differs from 3.6's, under that dialect's name. */
export function legacyEncodings(dialect: "triton_gpu" | "ttg"): readonly LegacyDef[] {
  const mma = (mnemonic: string): LegacyDef =>
    defineLegacy(`${dialect}.${mnemonic}`, {
      fields: {
        version: "uint",
        versionMajor: "uint",
        versionMinor: "uint",
        warpsPerCTA: "ints",
        cta: "cta",
        instrShape: "ints",
      },
      required: ["warpsPerCTA"],
      rank: "warpsPerCTA",
      alias: "mma",
      toEncoding: (read) => ({
        kind: "nvidia_mma",
        versionMajor: read.uint("versionMajor", read.uint("version")),
        versionMinor: read.uint("versionMinor"),
        warpsPerCTA: read.ints("warpsPerCTA"),
        cga: read.cga(),
        // Before 2.1 the version said it all.
        instrShape: read.has("instrShape")
          ? read.ints("instrShape")
          : [
              ...read
                .ints("warpsPerCTA")
                .slice(2)
                .map(() => 1),
              16,
              8,
            ],
      }),
    });
  const defs = [
    defineLegacy(`${dialect}.blocked`, {
      fields: { sizePerThread: "ints", threadsPerWarp: "ints", warpsPerCTA: "ints", order: "ints", cta: "cta" },
      required: ["sizePerThread", "threadsPerWarp", "warpsPerCTA", "order"],
      rank: "order",
      alias: "blocked",
      toEncoding: (read) => ({
        kind: "blocked",
        sizePerThread: read.ints("sizePerThread"),
        threadsPerWarp: read.ints("threadsPerWarp"),
        warpsPerCTA: read.ints("warpsPerCTA"),
        order: read.ints("order"),
        cga: read.cga(),
      }),
    }),
    defineLegacy(`${dialect}.slice`, {
      fields: { dim: "uint", parent: "parent" },
      required: ["dim", "parent"],
      toEncoding: (read, bits) => ({ kind: "slice", dim: read.uint("dim"), parent: parentOf(read, bits) }),
    }),
    defineLegacy(`${dialect}.dot_op`, {
      fields: { opIdx: "uint", parent: "parent", kWidth: "uint" },
      required: ["opIdx", "parent"],
      toEncoding: (read, bits) => {
        const parent = parentOf(read, bits);
        return { kind: "dot_op", opIdx: read.uint("opIdx"), parent, kWidth: read.uint("kWidth", kWidthOf(parent, bits)) };
      },
    }),
    mma("nvidia_mma"),
    defineLegacy(`${dialect}.amd_mfma`, {
      fields: {
        version: "uint",
        versionMajor: "uint",
        versionMinor: "uint",
        warpsPerCTA: "ints",
        instrShape: "ints",
        isTransposed: "bool",
        cta: "cta",
      },
      required: ["warpsPerCTA", "instrShape"],
      rank: "warpsPerCTA",
      alias: "mma",
      toEncoding(read) {
        const [m = 0, n = 0, k = m === 32 ? 8 : 16] = read.ints("instrShape");
        return {
          kind: "amd_mfma",
          version: read.uint("version", read.uint("versionMajor")),
          warpsPerCTA: read.ints("warpsPerCTA"),
          instrShape: [m, n, k],
          isTransposed: read.bool("isTransposed"),
          cga: read.cga(),
          tilesPerWarp: [1, 1, 1],
          elementBitWidth: 32,
        };
      },
    }),
    defineLegacy(`${dialect}.amd_wmma`, {
      fields: { version: "uint", isTranspose: "bool", warpsPerCTA: "ints", cta: "cta" },
      required: ["warpsPerCTA"],
      rank: "warpsPerCTA",
      alias: "mma",
      toEncoding: (read) => ({
        kind: "amd_wmma",
        version: read.uint("version", 1),
        isTransposed: read.bool("isTranspose"),
        warpsPerCTA: read.ints("warpsPerCTA"),
        tilesPerWarp: [1, 1, 1],
        cga: read.cga(),
        instrShape: [16, 16, 16],
      }),
    }),
  ];
  if (dialect === "triton_gpu") return [...defs, mma("mma"), shared];
  return [...defs, swizzledShared, nvmmaShared];
}

/** One attribute for all of shared memory: row by row with swizzling or, with a leading offset, as wgmma wants it. */
const shared = defineLegacy("triton_gpu.shared", {
  fields: { ...SWIZZLE, hasLeadingOffset: "bool" },
  required: ["vec", "perPhase", "maxPhase", "order"],
  rank: "order",
  alias: "shared",
  toEncoding(read, bits) {
    if (!read.bool("hasLeadingOffset")) return { ...swizzle(read), kind: "swizzled_shared" };
    const rows = read.uint("perPhase");
    return {
      kind: "nvmma_shared",
      swizzlingByteWidth: read.uint("maxPhase") === 1 ? 0 : Math.trunc(128 / Math.max(1, rows)),
      transposed: read.ints("order")[0] !== read.ints("order").length - 1,
      // A vector was 16 bytes.
      elementBitWidth: bits ?? Math.trunc(128 / Math.max(1, read.uint("vec"))),
      fp4Padded: false,
      cga: read.cga(),
    };
  },
});

const swizzledShared = defineLegacy("ttg.swizzled_shared", {
  fields: SWIZZLE,
  required: ["vec", "perPhase", "maxPhase", "order"],
  rank: "order",
  alias: "shared",
  toEncoding: (read) => ({ ...swizzle(read), kind: "swizzled_shared" }),
});

const nvmmaShared = defineLegacy("ttg.nvmma_shared", {
  fields: { swizzlingByteWidth: "uint", transposed: "bool", elementBitWidth: "uint", fp4Padded: "bool", cta: "cta", rank: "uint" },
  required: ["swizzlingByteWidth", "transposed", "elementBitWidth"],
  rank: "CTAOrder",
  alias: "shared",
  toEncoding: (read) => ({
    kind: "nvmma_shared",
    swizzlingByteWidth: read.uint("swizzlingByteWidth"),
    transposed: read.bool("transposed"),
    elementBitWidth: read.uint("elementBitWidth"),
    fp4Padded: read.bool("fp4Padded"),
    cga: read.has("CTAOrder") ? read.cga() : defaultCga(read.uint("rank", 2)),
  }),
});

function swizzle(read: LegacyReader): Omit<Extract<EncodingParams, { kind: "swizzled_shared" }>, "kind"> {
  return {
    vec: read.uint("vec"),
    perPhase: read.uint("perPhase"),
    maxPhase: read.uint("maxPhase"),
    order: read.ints("order"),
    cga: read.cga(),
  };
}

/** Operands said nothing of their width before 2.1: two halves, or one float, made a register. */
function kWidthOf(parent: DistributedParams, bits = 16): number {
  if (parent.kind === "nvidia_mma") return parent.versionMajor === 2 || parent.versionMajor === 3 ? Math.max(1, Math.trunc(32 / bits)) : 0;
  return parent.kind === "blocked" ? 0 : 4;
}

function parentOf(read: LegacyReader, bits: number | undefined): DistributedParams {
  const parent = encodingFor(read.parent(), bits);
  if (!parent || !isDistributed(parent)) throw new Bug("the parent is no distributed encoding");
  return parent;
}

/** As `encodingParams`, of a tensor whose elements have that many bits: in older eras an encoding could depend on them. */
export function encodingFor(attr: Attribute, elementBits: number | undefined): EncodingParams | undefined {
  if (elementBits === undefined || !("forElements" in attr.def)) return encodingParams(attr);
  const def = attr.def as unknown as LegacyDef;
  return def.forElements(attr.params as Attribute<LegacyParamsOf>["params"], elementBits);
}
type LegacyParamsOf = Parameters<LegacyDef["toEncoding"]>[0];

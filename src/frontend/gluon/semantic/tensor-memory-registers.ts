/** The registers that loads and stores of tensor memory fill. */
import { cgaFromBases } from "../../../layout/encodings/cga.js";
import { LayoutError } from "../../../layout/layout-error.js";
import { registersForTmem, type TMemAccessAtom } from "../../../layout/tmem-access.js";
import { check, raise } from "../../language/errors.js";
import { pyStr } from "../../language/python-text.js";
import type { Semantic } from "../../language/semantic.js";
import { type Buffer, isLayout, type Layout, type PyValue, tuple, unwrap } from "../../language/values.js";
import { basesList, basesOf, ints, numbers } from "../layouts/define-layout.js";
import { DISTRIBUTED_LINEAR } from "../layouts/distributed.js";
import { dtypeArgument } from "./buffers.js";
import { expect, listText } from "./shape.js";

const VARIANTS = ["32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2", "32x32b_splitn"];

/** The layout of a tensor that one kind of instruction moves from or to tensor memory. Source: _semantic.py, _compute_tmem_reg_layout. */
export function tensorMemoryRegisters(args: Readonly<Record<string, PyValue>>, sharedWarps = 0): Layout {
  const variant = args["instr_variant"]!;
  if (typeof variant !== "string") return raise("ValueError", "instr_variant must be a string");
  expect(VARIANTS.includes(variant), () => `unknown instr_variant: ${variant}`);
  const numWarps = args["num_warps"]!;
  expect(typeof numWarps === "bigint", () => `num_warps must be an int but got ${pyStr(numWarps, "type")}`);
  const warps = Number(numWarps);
  expect(warps >= 4 && (warps & (warps - 1)) === 0, () => "num_warps must be a power of two and >= 4");
  const shape = ints(args["shape"]!);
  expect(shape.length === 2, () => "expected a 2D tensor");
  const bases = basesOf(args["cga_layout"]!);
  expect(
    bases.every((basis) => basis.length === 2),
    () => "cga_layout basis rank mismatch",
  );
  const element = dtypeArgument(args["element_ty"]!, "element_ty");
  const layout = args["layout"]!;
  if (!isLayout(layout)) return raise("AttributeError", `'${pyStr(layout, "type")}' object has no attribute '_to_ir'`);
  const splitN = variant === "32x32b_splitn";
  const atom = splitN ? "32x32b" : variant;
  if (atom === "16x32bx2") return raise("ValueError", "Atom 16x32bx2 is inferred implicitly and cannot be requested explicitly");
  const cga = cgaFromBases(bases, 2);
  if (typeof cga === "string") return raise("RuntimeError", cga);
  const found = atLayout(() => registersForTmem(shape, layout.encoding()!, atom as TMemAccessAtom, warps, element.bits, cga));
  if (!found) return raise("ValueError", `TMEM layout '${atom}' unsupported for shape ${listText(shape)} and num_warps ${warps}`);
  const dims = { reg: "register", lane: "lane", warp: "warp", block: "block" } as const;
  const [reg, lane, warp, block] = Object.values(dims).map((dim) => found.getInDimBases(dim)) as [
    number[][],
    number[][],
    number[][],
    number[][],
  ];
  const made = () => DISTRIBUTED_LINEAR.make([...[reg, lane, warp, block].map(basesList), numbers(found.getOutDimSizes())]);
  if (splitN) splitColumns(reg, lane, warp, { half: shape[1]! / 2, bits: element.bits, sharedWarps, text: () => made().text });
  return made();
}
function atLayout<T>(compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    if (error instanceof LayoutError) return raise("RuntimeError", error.message);
    throw error;
  }
}
/** The last register of a thread is in the other half of the columns, so that tl.split moves nothing. Changes the bases. */
function splitColumns(
  reg: number[][],
  lane: number[][],
  warp: number[][],
  { half, bits, sharedWarps, text }: { half: number; bits: number; sharedWarps: number; text: () => string },
): void {
  const isHalf = (basis: readonly number[] | undefined): boolean => basis?.[0] === 0 && basis[1] === half;
  if (reg.length === 0) {
    expect(isHalf(lane.at(-1)), () => `splitn with 1 register requires the last lane basis to be [0, N / 2]. Got ${text()}`);
    reg.push([0, half]);
    lane[lane.length - 1] = [0, 0];
    return;
  }
  if (isHalf(reg.at(-1))) return;
  const fewest = Math.trunc(32 / bits);
  expect(
    2 ** reg.length > fewest,
    () =>
      `To be able to \`tmem.load\` into \`tl.split\` you need to have more than ${fewest} ${bits}-bit registers, as you need to use ` +
      'the instruction 32x32b.x1 twice. You can always load into instr_variant="32x32b" and then convert_layout to this layout otherwise.',
  );
  for (const bases of [lane, warp]) {
    const at = bases.findIndex((basis, i) => isHalf(basis) && (bases === lane || i >= sharedWarps));
    if (at < 0) continue;
    [reg[reg.length - 1], bases[at]] = [bases[at]!, reg.at(-1)!];
    return;
  }
  check(false, `splitn requires at least one basis of [0, N / 2]. Got ${text()}`);
}

/** The registers for a buffer in tensor memory, for the warps that run the function. Since 3.8; the first four warps do not trade places. */
export function registersOf(s: Semantic, { type }: Buffer, numWarps: PyValue = null, variant: PyValue = "32x32b"): Layout {
  return tensorMemoryRegisters(
    {
      element_ty: type.element,
      shape: tuple(type.shape.map(BigInt)),
      layout: type.layout,
      num_warps: unwrap(numWarps) ?? BigInt(s.numWarps),
      instr_variant: unwrap(variant),
      cga_layout: tuple([]),
    },
    2,
  );
}

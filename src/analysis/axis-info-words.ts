/**
 * The rules of AxisInfo in words: how an op's contiguity (c), divisibility (d) and constancy (k) follow from those of its operands a
 * and b, along each dimension. The rules themselves are in `axis-info-rules.ts`.
 */
import * as arith from "../dialects/arith/ops/index.js";
import { UnrealizedConversionCastOp } from "../dialects/builtin/ops/index.js";
import { SetAutoLayoutOp } from "../dialects/gluon/ops/set-auto-layout.js";
import * as tt from "../dialects/tt/ops/index.js";
import { ConvertLayoutOp } from "../dialects/ttg/ops/convert-layout.js";
import { PoisonOp } from "../dialects/ub/ops/index.js";
import type { OpDef } from "../ir/define-op.js";

const SAME = "as a";
const SUM = "c = max(gcd(c of a, k of b), gcd(k of a, c of b)); d = gcd(d of a, d of b); k = gcd(k of a, k of b)";
const BITS = "c = 1; d = 1; k = gcd(k of a, k of b)";
const SHIFT_DOWN = "c = 1, or as a by 0; d = d of a / 2^b for a constant b, from single elements if a has runs; k = gcd(k of a, k of b)";
const QUOTIENT =
  "c = 1, or as a by 1; d = d of a / b for a constant power of two and no runs, else 1; k = gcd(k of a, k of b), or gcd(c of a, d of a, d of b) where a is one run and b one number";
const REMAINDER =
  "c = gcd(c of a, d of a, d of b) where a is one run and b one number, else 1; d = gcd(d of a, d of b) where b repeats; k = gcd(k of a, k of b)";
const EXTREMUM = "c = gcd(c of a, c of b); d = gcd of both d, and of both c where they differ; k = gcd(k of a, k of b)";

export const AXIS_INFO_WORDS: ReadonlyMap<OpDef, string> = new Map<OpDef, string>([
  [UnrealizedConversionCastOp, SAME],
  [arith.ExtSIOp, SAME],
  [arith.ExtUIOp, SAME],
  [arith.TruncIOp, SAME],
  [ConvertLayoutOp, SAME],
  [SetAutoLayoutOp, SAME],
  [tt.BitcastOp, SAME],
  [tt.MakeRangeOp, "c = end - start; d = the largest power of two that divides start (2^30 for 0); k = 1"],
  [PoisonOp, "any value will do: as much as there is"],
  [
    arith.ConstantOp,
    "one number: c = 1; d = the largest power of two that divides it; k = the shape. Several numbers: no rule: the worst case",
  ],
  [tt.AddPtrOp, `${SUM}, where d of b counts bytes: times the size of an element`],
  [arith.AddIOp, SUM],
  [arith.SubIOp, "c = gcd(c of a, k of b); d = gcd(d of a, d of b); k = gcd(k of a, k of b)"],
  [arith.MulIOp, "c = 1, or as the other one times 1; d = d of a * d of b, 1 for one with runs; k = gcd(k of a, k of b)"],
  [arith.DivSIOp, QUOTIENT],
  [arith.DivUIOp, QUOTIENT],
  [arith.RemSIOp, REMAINDER],
  [arith.RemUIOp, REMAINDER],
  [tt.BroadcastOp, "along what is repeated c = 1 and k = the extent, else as a; d = d of a"],
  [tt.SplatOp, "c = 1; d = d of a; k = the shape"],
  [tt.ExpandDimsOp, "as a; along the new dimension c = 1, k = 1, and d that of single elements"],
  [arith.CmpIOp, "c = 1; d = 1; k = gcd(k of a, k of b), or gcd(c of the run, d of a, d of b) for a run against one number"],
  [arith.AndIOp, BITS],
  [arith.OrIOp, BITS],
  [arith.XOrIOp, BITS],
  [arith.SelectOp, "gcd of both choices, and of k of the condition where it is a tensor; as one of them where the condition is known"],
  [arith.ShLIOp, "c = 1, or as a by 0; d = d of a * 2^b for a constant b, from single elements if a has runs; k = gcd(k of a, k of b)"],
  [arith.ShRUIOp, SHIFT_DOWN],
  [arith.ShRSIOp, SHIFT_DOWN],
  [arith.MaxSIOp, EXTREMUM],
  [arith.MaxUIOp, EXTREMUM],
  [arith.MinSIOp, EXTREMUM],
  [arith.MinUIOp, EXTREMUM],
  [tt.LoadOp, "c = 1; d = 1; k = gcd(k of the pointers, k of the mask)"],
  [tt.TransOp, "as a, with dimensions in another order"],
]);

/** Derives a conversion of layouts: the elements that move, the way they take, its cost, and why it goes this way. */
import { scratchSizeOnTarget, storedBitWidth, swizzlingFor } from "../../analysis/scratch-size.js";
import { toLinearLayout } from "../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../dialects/ttg/ops/convert-layout.js";
import { encodingOf, type TensorType } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { actionRemoveBroadcastedRegs } from "../../layout/column-action.js";
import { conversionShape } from "../../layout/conversion.js";

/** Lines; none for other ops. */
export function conversionMoves(op: Operation): readonly string[] {
  const convert = ConvertLayoutOp.match(op);
  if (!convert) return [];
  const layoutOf = ({ type }: Value) => toLinearLayout((type as TensorType).params.shape, encodingOf(type)!);
  const [from, to] = [layoutOf(convert.src), layoutOf(convert.result)];
  const { means, scope, moves } = conversionShape(from, to);
  const { stay, betweenRegisters, betweenLanes, betweenWarps, betweenBlocks } = moves;
  const parts: readonly (readonly [number, string])[] = [
    [stay, "stay"],
    [betweenRegisters, "change the register"],
    [betweenLanes, "change the lane"],
    [betweenWarps, "change the warp"],
    [betweenBlocks, "change the CTA"],
  ];
  const total = parts.reduce((sum, [count]) => sum + count, 0);
  const counted = parts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []));
  const lines = [`the result has ${total} places: ${counted.join(", ")}`];
  if (means === "nothing" || means === "registers")
    return [...lines, means === "nothing" ? "nothing moves: no instruction" : "each thread has all that it needs: registers are renamed"];
  if (means === "warp shuffles")
    return [...lines, "no element leaves its warp, and at most one exchange of a lane bit with a register bit is needed: shuffles"];
  const why = {
    warp: "no element leaves its warp, but too many bits of lane and register change places for shuffles",
    cta: "elements change warps, which only shared memory connects",
    cluster: "elements change CTAs: each writes to the shared memory of another",
  }[scope as "warp" | "cta" | "cluster"];
  const bits = storedBitWidth(convert.src.type);
  const [src, dst] = [from, to].map((layout) => actionRemoveBroadcastedRegs(layout).apply(layout)) as [typeof from, typeof to];
  const smem = swizzlingFor(op)(src, dst, bits);
  const rounds = smem.getInDimSize("reps");
  const together = (smem.getInDimSize("vector") * bits) / 8;
  return [
    ...lines,
    `${why}: shared memory`,
    `${scratchSizeOnTarget(op)} bytes in ${rounds === 1 ? "one round" : `each of ${rounds} rounds`}, ${together} bytes of a thread together; placed by xor of the addresses so that neither side has more bank conflicts than it must, without padding`,
  ];
}

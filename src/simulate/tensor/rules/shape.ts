/** tt's ops that move elements about without computing: views of row-major data, and gathers of them. */

import { UnrealizedConversionCastOp } from "../../../dialects/builtin/ops/index.js";
import { SetAutoLayoutOp } from "../../../dialects/gluon/ops/set-auto-layout.js";
import * as tt from "../../../dialects/tt/ops/index.js";
import * as ttg from "../../../dialects/ttg/ops/index.js";
import { PoisonOp } from "../../../dialects/ub/ops/index.js";
import { intOf } from "../../../ir/builtin-attrs.js";
import { elementTypeOrSelf } from "../../../ir/builtin-types.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { elementOfType } from "../elements.js";
import type { Rule } from "../instructions.js";
import { filled, gathered, positions, rowMajorStrides, TOKEN, tensor, tensorSpec, type Val } from "../value.js";
import { pure } from "./elementwise.js";

/** The same elements under the type of the result. */
const reshaped: Rule = pure((op) => {
  const { shape } = tensorSpec(op.result(0).type);
  return ([src]) => tensor(src!.element, shape, src!.data);
});

const splat: Rule = pure((op) => {
  const { shape } = tensorSpec(op.result(0).type);
  return ([src], machine) => {
    machine.charge(
      op,
      shape.reduce((a, b) => a * b, 1),
    );
    return filled(src!.element, shape, src!.data[0]!);
  };
});

/** A gather whose places follow from the types alone. */
function gather(placesOf: (op: Operation) => Int32Array): Rule {
  return pure((op) => {
    const { shape } = tensorSpec(op.result(0).type);
    let at: Int32Array | undefined;
    return ([src], machine) => {
      at ??= placesOf(op);
      machine.charge(op, at.length);
      return tensor(src!.element, shape, gathered(src!.element, src!.data, at));
    };
  });
}

/** A reshape that may reorder elements reverses them where `checks.reorders` asks for it, and of several in a row only the first. */
const reshape: Rule = (instruction, program) => {
  const kept = reshaped(instruction, program);
  if (!reorders(instruction.op)) return kept;
  const turned = reversed(instruction, program);
  return (frame, machine) => (machine.checks.reorders ? turned : kept)(frame, machine);
};
const reorders = (op: Operation): boolean => {
  const view = tt.ReshapeOp.match(op)!;
  return view.allow_reorder && !tt.ReshapeOp.match(view.src.definingOp)?.allow_reorder;
};
const reversed = gather((op) => {
  const count = tensorSpec(op.result(0).type).shape.reduce((a, b) => a * b, 1);
  return Int32Array.from({ length: count }, (_, i) => count - 1 - i);
});

const broadcast = gather((op) => {
  const from = tensorSpec(op.operand(0).type).shape;
  const to = tensorSpec(op.result(0).type).shape;
  return positions(
    to,
    rowMajorStrides(from).map((stride, d) => (from[d] === 1 && to[d] !== 1 ? 0 : stride)),
  );
});
const transpose = gather((op) => {
  const from = rowMajorStrides(tensorSpec(op.operand(0).type).shape);
  const { order } = tt.TransOp.match(op)!;
  return positions(
    tensorSpec(op.result(0).type).shape,
    order.map((d) => from[d]!),
  );
});

const makeRange: Rule = pure((op) => {
  const { start } = tt.MakeRangeOp.match(op)!;
  const { element, shape } = tensorSpec(op.result(0).type);
  return () => {
    const data = element.alloc(shape[0]!);
    for (let i = 0; i < data.length; i++) data[i] = start + i;
    return tensor(element, shape, data);
  };
});

/** One tensor after the other, as a tensor of one dimension more (join), or one dimension longer (cat). */
const concatenate: Rule = pure((op) => {
  const { shape } = tensorSpec(op.result(0).type);
  return ([lhs, rhs]) => {
    const { element } = lhs!;
    const data = element.alloc(2 * lhs!.data.length);
    data.set(lhs!.data as never);
    data.set(rhs!.data as never, lhs!.data.length);
    return tensor(element, shape, data);
  };
});
const join: Rule = pure((op) => {
  const { shape } = tensorSpec(op.result(0).type);
  return ([lhs, rhs]) => {
    const { element } = lhs!;
    const data = element.alloc(2 * lhs!.data.length);
    for (let i = 0; i < lhs!.data.length; i++) {
      data[2 * i] = lhs!.data[i]!;
      data[2 * i + 1] = rhs!.data[i]!;
    }
    return tensor(element, shape, data);
  };
});
const split: Rule = pure((op) => {
  const { shape } = tensorSpec(op.result(0).type);
  return ([src]) =>
    [0, 1].map((half) => {
      const { element } = src!;
      const data = element.alloc(src!.data.length / 2);
      for (let i = 0; i < data.length; i++) data[i] = src!.data[2 * i + half]!;
      return tensor(element, shape, data);
    });
});

const programId = (what: "program" | "grid"): Rule =>
  pure((op) => {
    const { element, shape } = tensorSpec(op.result(0).type);
    const axis = axisOf(op);
    return (_args, machine) => filled(element, shape, machine[what][axis]!);
  });
const axisOf = (op: Operation): number => intOf(op.attr("axis")) ?? 0;

/** Undefined values are zeros; a type without elements has a token. */
const poison: Rule = ({ op, outs: [out] }) => {
  const { type } = op.result(0);
  const value: Val = elementOfType(elementTypeOrSelf(type)) ? filled(tensorSpec(type).element, tensorSpec(type).shape, 0) : TOKEN;
  return ({ env }) => {
    env[out!] = value;
  };
};

export const SHAPE: readonly (readonly [OpDef, Rule])[] = [
  [tt.SplatOp, splat],
  [tt.UnsplatOp, reshaped],
  [tt.ExpandDimsOp, reshaped],
  [tt.ReshapeOp, reshape],
  [tt.ViewOp, reshaped],
  [tt.BroadcastOp, broadcast],
  [tt.TransOp, transpose],
  [tt.CatOp, concatenate],
  [tt.JoinOp, join],
  [tt.SplitOp, split],
  [tt.MakeRangeOp, makeRange],
  [tt.GetProgramIdOp, programId("program")],
  [tt.GetNumProgramsOp, programId("grid")],
  [ttg.ConvertLayoutOp, reshaped],
  [SetAutoLayoutOp, reshaped],
  [PoisonOp, poison],
  [
    UnrealizedConversionCastOp,
    ({ ins, outs }) =>
      ({ env }) => {
        outs.forEach((out, i) => {
          env[out] = env[ins[i]!]!;
        });
      },
  ],
];

/** scf, cf, calls and returns: structured ops push a frame and say what its terminator does. */
import * as cf from "../../../dialects/cf/ops/index.js";
import { caseOperands, caseValues } from "../../../dialects/cf/ops/switch.js";
import * as llvm from "../../../dialects/llvm/ops/index.js";
import * as scf from "../../../dialects/scf/ops/index.js";
import * as tt from "../../../dialects/tt/ops/index.js";
import { intsOf } from "../../../ir/builtin-attrs.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { Region } from "../../../ir/region.js";
import { enter, type Instruction, jump, operandsOf, type Program, type Rule, type Run, setResults } from "../instructions.js";
import { Stop } from "../machine.js";
import { isTrue, scalar, type Tensor, tensorSpec, type Val } from "../value.js";

/** A terminator hands its operands to the op around it. */
const leave: Rule = (instruction) => (frame, machine) => {
  const values = operandsOf(frame, instruction);
  frame.onExit(values, instruction.op, frame);
  void machine;
};

/** Runs a region once; what it yields are the results. */
function regionOnce(program: Program, instruction: Instruction, region: Region, args: readonly Val[] = []): Run {
  const code = program.block(region.firstBlock!);
  return (frame, machine) => {
    enter(machine, code, frame.env, args, (values) => {
      machine.pop();
      setResults(frame, instruction, values);
    });
  };
}

const forLoop: Rule = (instruction, program) => {
  const { op, ins } = instruction;
  const code = program.block(op.regions[0]!.firstBlock!);
  const unsigned = scf.ForOp.match(op)!.unsignedCmp === true;
  const { element } = tensorSpec(op.operand(0).type);
  const width = element.width;
  const read = (value: Val): bigint => {
    const n = BigInt((value as Tensor).data[0]!);
    return unsigned ? BigInt.asUintN(width, n) : n;
  };
  return (frame, machine) => {
    const [lower, upper, step] = [0, 1, 2].map((i) => read(frame.env[ins[i]!]!)) as [bigint, bigint, bigint];
    const inits = ins.slice(3).map((slot) => frame.env[slot]!);
    if (step <= 0n) throw new Stop("limit", `the loop's step is ${step}: it never ends`, op);
    if (lower >= upper) {
      machine.skippedLoop = true;
      return setResults(frame, instruction, inits);
    }
    let induction = lower;
    const value = () => scalar(element, element.big ? induction : Number(induction));
    enter(machine, code, frame.env, [value(), ...inits], (yielded, _terminator, inner) => {
      induction += step;
      if (induction < upper) return jump(inner, code, [value(), ...yielded]);
      machine.pop();
      setResults(frame, instruction, yielded);
    });
  };
};

const whileLoop: Rule = (instruction, program) => {
  const [before, after] = instruction.op.regions.map((r) => program.block(r.firstBlock!)) as [
    ReturnType<Program["block"]>,
    ReturnType<Program["block"]>,
  ];
  return (frame, machine) => {
    enter(machine, before, frame.env, operandsOf(frame, instruction), (values, terminator, inner) => {
      if (!scf.ConditionOp.is(terminator)) return jump(inner, before, values);
      const [condition, ...args] = values;
      if (isTrue(condition as Tensor)) return jump(inner, after, args);
      machine.pop();
      setResults(frame, instruction, args);
    });
  };
};

const ifElse: Rule = (instruction, program) => {
  const [thenRegion, elseRegion] = instruction.op.regions;
  const runThen = regionOnce(program, instruction, thenRegion!);
  const runElse: Run | undefined = elseRegion?.empty === false ? regionOnce(program, instruction, elseRegion) : undefined;
  const [condition] = instruction.ins;
  instruction.taken = 0;
  return (frame, machine) => {
    if (!isTrue(frame.env[condition!] as Tensor)) return runElse?.(frame, machine);
    instruction.taken++;
    runThen(frame, machine);
  };
};

const indexSwitch: Rule = (instruction, program) => {
  const { op } = instruction;
  const cases = intsOf(op.attr("cases")) ?? [];
  const runs = op.regions.map((region) => regionOnce(program, instruction, region));
  return (frame, machine) => runs[1 + cases.indexOf(Number((frame.env[instruction.ins[0]!] as Tensor).data[0]))]!(frame, machine);
};

/** scf.parallel runs its body for one place after the other; its reductions combine in that order. */
const parallel: Rule = (instruction, program) => {
  const { op } = instruction;
  const view = scf.ParallelOp.match(op)!;
  const code = program.block(op.regions[0]!.firstBlock!);
  const rank = view.lowerBound.length;
  const { element } = tensorSpec(view.lowerBound[0]!.type);
  return (frame, machine) => {
    const all = operandsOf(frame, instruction) as Tensor[];
    const numbers = all.slice(0, 3 * rank).map((v) => Number(v.data[0]));
    const [lower, upper, step] = [0, 1, 2].map((k) => numbers.slice(k * rank, (k + 1) * rank)) as [number[], number[], number[]];
    let results: readonly Val[] = all.slice(3 * rank);
    const place = [...lower];
    const args = () => place.map((n) => scalar(element, BigInt(n)));
    const next = (): boolean => {
      for (let d = rank - 1; d >= 0; d--) {
        place[d]! += step[d]!;
        if (place[d]! < upper[d]!) return true;
        place[d] = lower[d]!;
      }
      return false;
    };
    if (lower.some((l, d) => l >= upper[d]!)) return setResults(frame, instruction, results);
    enter(machine, code, frame.env, args(), (values, terminator, inner) => {
      const combine = (index: number): void => {
        const region = terminator.regions[index];
        if (region) {
          enter(machine, program.block(region.firstBlock!), frame.env, [results[index]!, values[index]!], ([value]) => {
            machine.pop();
            results = results.with(index, value!);
            combine(index + 1);
          });
          return;
        }
        if (next()) return jump(inner, code, args());
        machine.pop();
        setResults(frame, instruction, results);
      };
      combine(0);
    });
  };
};

const call: Rule = (instruction, program) => {
  const { op } = instruction;
  const name = tt.CallOp.match(op)!.callee;
  const entry = program.function(name)?.regions[0]?.firstBlock;
  if (!entry) throw new Stop("not-modelled", `@${name} is called, but its body is not here`, op);
  const code = program.block(entry);
  return (frame, machine) => {
    const thread = machine.current;
    if (++thread.depth > machine.limits.maxDepth)
      throw new Stop("limit", `calls are nested deeper than ${machine.limits.maxDepth}: @${name} recurses`, op);
    // Values of another activation of the same function must not be overwritten.
    const env: Val[] = [];
    enter(
      machine,
      code,
      env,
      operandsOf(frame, instruction),
      (values) => {
        machine.pop();
        thread.depth--;
        setResults(frame, instruction, values);
      },
      true,
    );
  };
};

const branch: Rule = (instruction, program) => {
  const target = program.block(instruction.op.successors[0]!.block);
  return (frame) => jump(frame, target, operandsOf(frame, instruction));
};
const conditionalBranch: Rule = (instruction, program) => {
  const { op, ins } = instruction;
  const targets = op.successors.map((s) => program.block(s.block));
  const [, ifTrue] = intsOf(op.attr("operandSegmentSizes"))! as readonly [number, number];
  const slots = [ins.slice(1, 1 + ifTrue), ins.slice(1 + ifTrue)] as const;
  instruction.taken = 0;
  return (frame) => {
    const taken = isTrue(frame.env[ins[0]!] as Tensor) ? 0 : 1;
    if (taken === 0) instruction.taken++;
    jump(
      frame,
      targets[taken]!,
      slots[taken].map((slot) => frame.env[slot]!),
    );
  };
};
const switchBranch: Rule = (instruction, program) => {
  const { op, ins } = instruction;
  const values = caseValues(op);
  const targets = op.successors.map((s) => program.block(s.block));
  const slotOf = (v: Operation["results"][number]) => program.slot(v);
  const cases = values.map((_, i) => caseOperands(op, i).map(slotOf));
  const numDefault = intsOf(op.attr("operandSegmentSizes"))![1]!;
  const { width } = tensorSpec(op.operand(0).type).element;
  return (frame) => {
    const flag = BigInt.asUintN(width, BigInt((frame.env[ins[0]!] as Tensor).data[0]!));
    const at = values.indexOf(flag);
    const slots = at < 0 ? ins.slice(1, 1 + numDefault) : cases[at]!;
    jump(
      frame,
      targets[at + 1]!,
      slots.map((slot) => frame.env[slot]!),
    );
  };
};

const assertTrue =
  (message: (op: Operation) => string): Rule =>
  ({ op, ins: [slot] }) => {
    const text = message(op);
    return ({ env }, machine) => {
      const { data } = env[slot!] as Tensor;
      const at = data.indexOf(0 as never);
      if (at >= 0) machine.findings.add("assert", op, `assertion failed${data.length > 1 ? ` at element ${at}` : ""}: ${text}`);
    };
  };

/** Checks a condition that the kernel's author promised. */
const assume: Rule =
  ({ op, ins: [slot] }) =>
  ({ env }, machine) => {
    if (!isTrue(env[slot!] as Tensor)) machine.findings.add("assert", op, "what the kernel assumes does not hold");
  };

export const CONTROL_FLOW: readonly (readonly [OpDef, Rule])[] = [
  [scf.ForOp, forLoop],
  [scf.WhileOp, whileLoop],
  [scf.ConditionOp, leave],
  [scf.YieldOp, leave],
  [scf.IfOp, ifElse],
  [scf.IndexSwitchOp, indexSwitch],
  [scf.ExecuteRegionOp, (instruction, program) => regionOnce(program, instruction, instruction.op.regions[0]!)],
  [scf.ParallelOp, parallel],
  [scf.ReduceOp, leave],
  [scf.ReduceReturnOp, leave],
  [cf.BranchOp, branch],
  [cf.CondBranchOp, conditionalBranch],
  [cf.SwitchOp, switchBranch],
  [cf.AssertOp, assertTrue((op) => cf.AssertOp.match(op)!.msg)],
  [tt.AssertOp, assertTrue((op) => tt.AssertOp.match(op)!.message)],
  [llvm.AssumeOp, assume],
  [tt.CallOp, call],
  [tt.ReturnOp, leave],
];
export { leave };

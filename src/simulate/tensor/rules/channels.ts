/** nvws: asynchronous references, tokens and warp groups, before they become barriers and ttg.warp_specialize. */
import * as nvws from "../../../dialects/nvws/ops/index.js";
import { numElements } from "../../../ir/builtin-types.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Value } from "../../../ir/value.js";
import { type Aref, type ChannelToken, partitionOf } from "../channels.js";
import type { TensorDesc } from "../global-block.js";
import { enter, type Instruction, operandsOf, type Rule, setResults } from "../instructions.js";
import type { Machine } from "../machine.js";
import type { Barrier, MemDescValue } from "../shared-memory.js";
import { isTrue, numberAt, type Tensor, TOKEN, tensorSpec, type Val } from "../value.js";
import { leave } from "./control-flow.js";
import { blockAccess, numbers, readBlock, rowsAccess } from "./descriptors.js";
import { readable } from "./elementwise.js";
import { startPartitions } from "./shared.js";

// --- arefs --------------------------------------------------------------------------------------

const create: Rule = (instruction) => {
  const { op, outs } = instruction;
  const consumers = new Set<string>();
  for (const { owner } of op.result(0).uses()) if (nvws.ArefGetEnterOp.is(owner)) consumers.add(partitionOf(owner));
  return (frame) => {
    const buffers = operandsOf(frame, instruction) as MemDescValue[];
    const stages = buffers[0]?.shape[0] ?? 1;
    const aref: Aref = {
      form: "aref",
      buffers,
      unread: new Array<number>(stages).fill(0),
      filled: new Array<number>(stages).fill(0),
      consumers: Math.max(1, consumers.size),
      next: new Map(),
      taken: new Map(),
    };
    frame.env[outs[0]!] = aref;
  };
};
/** The buffers' views of one stage; scales have but one. */
function stageOf(aref: Aref, stage: number, results: readonly Value[]): MemDescValue[] {
  return aref.buffers.map((buffer, i) => {
    const { element, shape } = tensorSpec(results[i]!.type);
    const size = numElements(shape);
    const at = shape.length === buffer.shape.length ? buffer.at : buffer.at.subarray(stage * size, (stage + 1) * size);
    return { form: "memdesc", buffer: buffer.buffer, element, shape, at };
  });
}
/** Producers take their stages in turn, and so does each group of consumers, unless the stage is an operand. */
function takeStage(aref: Aref, who: string, stage: Val | undefined): number {
  const count = aref.unread.length;
  const at = stage ? numberAt(stage as Tensor) % count : (aref.next.get(who) ?? 0) % count;
  aref.next.set(who, at + 1);
  aref.taken.set(who, at);
  return at;
}
function enterStage(isPut: boolean): Rule {
  return (instruction) => {
    const { op } = instruction;
    const stageOperand = (isPut ? nvws.ArefPutEnterOp.match(op)! : nvws.ArefGetEnterOp.match(op)!).stage;
    const who = (isPut ? "put " : "get ") + (isPut ? "" : partitionOf(op));
    const readSoFar = new Map<Aref, number[]>();
    return (frame, machine) => {
      const aref = frame.env[instruction.ins[0]!] as Aref;
      const stage = takeStage(aref, who, stageOperand ? frame.env[instruction.ins[1]!] : undefined);
      setResults(frame, instruction, [...stageOf(aref, stage, op.results), TOKEN]);
      if (isPut) {
        machine.wait(op, `stage ${stage} to be empty`, () => aref.unread[stage] === 0);
        return;
      }
      let counts = readSoFar.get(aref);
      if (!counts) readSoFar.set(aref, (counts = aref.unread.map(() => 0)));
      const nth = ++counts[stage]!;
      machine.wait(op, `stage ${stage} to be filled`, () => aref.filled[stage]! >= nth);
    };
  };
}
function exitStage(isPut: boolean): Rule {
  return (instruction) => {
    const who = (isPut ? "put " : "get ") + (isPut ? "" : partitionOf(instruction.op));
    return ({ env }) => {
      const aref = env[instruction.ins[0]!] as Aref;
      const given = instruction.ins[2];
      const stage = given === undefined ? (aref.taken.get(who) ?? 0) : numberAt(env[given] as Tensor) % aref.unread.length;
      if (isPut) {
        aref.filled[stage]!++;
        aref.unread[stage] = aref.consumers;
      } else aref.unread[stage] = Math.max(0, aref.unread[stage]! - 1);
    };
  };
}
const arefBuffer: Rule = (instruction) => {
  const { op } = instruction;
  const who = partitionOf(op);
  return (frame) => {
    const aref = frame.env[instruction.ins[0]!] as Aref;
    const given = instruction.ins.length > 2 ? instruction.ins[1] : undefined;
    const held = aref.taken.get(`get ${who}`) ?? aref.taken.get("put ") ?? 0;
    const stage = given === undefined ? held : numberAt(frame.env[given] as Tensor) % aref.unread.length;
    setResults(frame, instruction, stageOf(aref, stage, op.results));
  };
};

// --- loads through descriptors ------------------------------------------------------------------

const descriptorLoad: Rule = (instruction) => {
  const { op } = instruction;
  const rank = nvws.DescriptorLoadOp.match(op)!.indices.length;
  return (frame, machine) => {
    const all = operandsOf(frame, instruction);
    const desc = all[0] as TensorDesc;
    const data = readBlock(machine, op, desc, blockAccess(machine, op, desc, numbers(all.slice(1, 1 + rank))));
    machine.shared.write(op, all[1 + rank] as MemDescValue, data);
  };
};
const descriptorGather: Rule = (instruction) => {
  const { op } = instruction;
  return (frame, machine) => {
    const [desc, rows, column, result] = operandsOf(frame, instruction) as [TensorDesc, Tensor, Tensor, MemDescValue];
    const access = rowsAccess(machine, op, desc, readable(machine, op, rows), numberAt(column), result.shape[1]!);
    machine.shared.write(op, result, readBlock(machine, op, desc, access));
  };
};

// --- tokens -------------------------------------------------------------------------------------

const newBarrier = (): Barrier => ({ count: 1, pending: 1, bytes: 0, phases: 0, waitsFor: [], known: [] });
const createToken: Rule = ({ op, outs }) => {
  const { numBuffers } = nvws.CreateTokenOp.match(op)!;
  return ({ env }) => {
    const token: ChannelToken = {
      form: "channel-token",
      full: Array.from({ length: numBuffers }, newBarrier),
      empty: Array.from({ length: numBuffers }, newBarrier),
    };
    env[outs[0]!] = token;
  };
};
function tokenOp(act: (machine: Machine, instruction: Instruction, full: Barrier, empty: Barrier, phase: number) => void): Rule {
  return (instruction) => (frame, machine) => {
    const [token, index, phase] = operandsOf(frame, instruction);
    const { full, empty } = token as ChannelToken;
    const at = numberAt(index as Tensor) % full.length;
    act(machine, instruction, full[at]!, empty[at]!, phase && isTrue(phase as Tensor) ? 1 : 0);
  };
}
const waitFor = (machine: Machine, { op }: Instruction, barrier: Barrier, phase: number): void =>
  machine.wait(op, `phase ${phase} of a token`, () => machine.shared.phaseEnded(barrier, phase));

// --- warp groups --------------------------------------------------------------------------------

/** The first group goes on in the program's own thread, the others beside it. */
const warpGroup: Rule = (instruction, program) => {
  const { op } = instruction;
  const [main, ...others] = op.regions.map((region) => program.block(region.firstBlock!));
  return (frame, machine) => {
    const running = startPartitions(machine, instruction, others, frame.env, []);
    enter(machine, main!, frame.env, [], (values) => {
      machine.pop();
      setResults(frame, instruction, values);
      machine.wait(op, "its groups to end", () => running.every((thread) => thread.frames.length === 0));
    });
  };
};

export const CHANNELS: readonly (readonly [OpDef, Rule])[] = [
  [nvws.ArefCreateOp, create],
  [nvws.ArefBufferOp, arefBuffer],
  [nvws.ArefPutEnterOp, enterStage(true)],
  [nvws.ArefGetEnterOp, enterStage(false)],
  [nvws.ArefPutExitOp, exitStage(true)],
  [nvws.ArefGetExitOp, exitStage(false)],
  [nvws.DescriptorLoadOp, descriptorLoad],
  [nvws.DescriptorGatherOp, descriptorGather],
  [nvws.CreateTokenOp, createToken],
  [nvws.ProducerAcquireOp, tokenOp((m, i, _full, empty, phase) => waitFor(m, i, empty, phase ^ 1))],
  [nvws.ProducerCommitOp, tokenOp((m, { op }, full) => m.shared.arrive(op, full, 1))],
  [nvws.ConsumerWaitOp, tokenOp((m, i, full, _empty, phase) => waitFor(m, i, full, phase))],
  [nvws.ConsumerReleaseOp, tokenOp((m, { op }, _full, empty) => m.shared.arrive(op, empty, 1))],
  [nvws.WarpGroupOp, warpGroup],
  [nvws.WarpGroupYieldOp, leave],
  [nvws.WarpGroupReturnOp, leave],
];

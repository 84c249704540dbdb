/**
 * The functions that read and change what the sanitizer keeps, each made when it is first called and shared by all calls with the
 * same types. Their names say what they do, for how many warps, and for which types.
 *
 * A row of the tables is a buffer; columns are threads or mbarriers. Who sees a write is a bit for each thread; who sees a read is
 * such a word in the column of the thread that looks.
 * Source: lib/Dialect/TritonInstrument/IR/FunctionBuilder.cpp.
 */
import { CallOp, FuncOp, ReturnOp } from "../../../dialects/tt/ops/function.js";
import { maybeLookupNumWarps, NUM_WARPS } from "../../../dialects/ttg/num-warps.js";
import { ExperimentalAssertInThreadOp, ExperimentalMemDescToI64Op, type MemType } from "../../../dialects/tti/ops/instrument.js";
import type { Type } from "../../../ir/attribute.js";
import { i32Attr } from "../../../ir/builtin-attrs.js";
import { functionType, i1, i64, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import { lookupSymbol } from "../../../ir/symbol-table.js";
import { typeText } from "../../../ir/text-hook.js";
import type { Value } from "../../../ir/value.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { conditionType, TensorCode } from "./tensor-code.js";
import { type CommitKind, NUM_THREADS, type RegionState, type Table } from "./tracked-state.js";

/** The state of an mbarrier: its phase, the count that a phase begins with, and what is left of it. */
const INITIAL_COUNT_BIT = 1;
const COUNT_BIT = 9;
const COUNT_MASK = 255;
/** Two bits for each thread: that it waits, and for which phase. */
const FLAGS = Array.from({ length: NUM_THREADS }, (_, thread) => 2 ** (2 * thread)).reduce((a, b) => a + b);
const PHASES = 2 * FLAGS;
const ALL_THREADS = 0xffff_ffff_ffff_ffffn;

interface Callee {
  readonly name: string;
  readonly args: readonly Value[];
  /** All else that distinguishes functions of that name: types of tables, and numbers. */
  readonly variant: readonly (TensorType | number)[];
  /** The argument that says whether it does anything. */
  readonly predicate?: number;
  /** Returns what the call is to assert, if it does. */
  readonly body: (code: TensorCode, args: readonly Value[]) => Value | undefined;
  readonly asserts?: { readonly message: string; readonly type: Type };
}

/** Calls at one op: `rw` is where they go. */
export class StateCalls {
  readonly #code: TensorCode;
  constructor(
    readonly rw: Rewriter,
    readonly module: Operation,
    readonly op: Operation,
    readonly state: RegionState,
  ) {
    this.#code = new TensorCode(rw);
  }

  // --- who waits ------------------------------------------------------------------------------
  /** Before a wait: the thread waits for a phase of an mbarrier. */
  setWaiting(mbar: Value, thread: number, phase: Value, pred: Value | undefined): void {
    const { barriers, waiting } = this.state;
    const when = this.#predicate(pred);
    const threadVal = this.#code.int(thread, 32);
    this.#call({
      name: "set_waiting",
      args: [this.#address(mbar), threadVal, phase, when, barriers!.value, waiting!.value],
      variant: [barriers!.type, waiting!.type],
      predicate: 3,
      body(code, [bar, base, wanted, pred, all, table]) {
        const { type } = waiting!;
        const before = code.load(table!, type);
        const isBar = code.compareAll(all!, bar!);
        const { flag, phaseShift, clear, one } = waitingBits(code, base!);
        const flags = code.splat(flag, type);
        const cleared = code.splat(clear, type);
        const shift = code.splat(phaseShift, type);
        const withFlag = code.or(code.and(before, cleared), flags);
        const phases = code.shl(code.splat(code.and(wanted!, one), type), shift);
        const pending = code.or(withFlag, phases);
        const condition = code.and(isBar, code.splat(pred!, conditionType(barriers!.type)));
        code.store(table!, code.select(condition, pending, before), type);
        return undefined;
      },
    });
  }
  /** After a wait. */
  clearWaiting(mbar: Value, thread: number, pred: Value | undefined): void {
    const { barriers, waiting } = this.state;
    const when = this.#predicate(pred);
    const threadVal = this.#code.int(thread, 32);
    this.#call({
      name: "clear_waiting",
      args: [this.#address(mbar), threadVal, when, barriers!.value, waiting!.value],
      variant: [barriers!.type, waiting!.type],
      predicate: 2,
      body(code, [bar, base, , all, table]) {
        const { type } = waiting!;
        const before = code.load(table!, type);
        const isBar = code.compareAll(all!, bar!);
        const cleared = code.and(before, code.splat(waitingBits(code, base!).clear, type));
        code.store(table!, code.select(isBar, cleared, before), type);
        return undefined;
      },
    });
  }
  /** Asserts that some thread that runs does not wait for a phase that has not ended. */
  checkAllActiveWaiting(activeThreads: number, pred: Value | undefined): void {
    const { waiting, barrierStates } = this.state;
    const when = this.#predicate(pred);
    const flags = Array.from({ length: activeThreads }, (_, i) => 2 ** (2 * i)).reduce((a, b) => a + b);
    this.#call({
      name: "check_all_active_waiting",
      args: [this.#code.int(flags, 32), when, waiting!.value, barrierStates!.value],
      variant: [waiting!.type, barrierStates!.type],
      asserts: { message: "Deadlock detected: all active threads are waiting on mbarriers", type: i1(this.rw.ctx) },
      body(code, [active, pred, waitingTable, statesTable]) {
        const { type } = waiting!;
        const before = code.load(waitingTable!, type);
        const states = code.load(statesTable!, barrierStates!.type);
        const flagMask = code.all(FLAGS, type);
        const phaseMask = code.all(PHASES, type);
        const set = code.and(before, flagMask);
        const phaseBits = code.and(before, phaseMask);
        const phases = code.shr(phaseBits, code.all(1, type));
        const phase0 = code.and(set, code.xor(phases, flagMask));
        const phase1 = code.and(set, phases);
        const one = code.all(1, barrierStates!.type);
        const isOne = code.cmp("eq", code.and(states, one), one);
        const blocked = code.orOver(code.select(isOne, phase1, phase0), 0);
        const all = code.cmp("eq", code.and(blocked, active!), active!);
        const yes = code.int(1, 1);
        return code.select(pred!, code.xor(all, yes), yes);
      },
    });
  }

  // --- states of mbarriers --------------------------------------------------------------------
  initBarrierState(mbar: Value, count: number): void {
    const { barriers, barrierStates } = this.state;
    const countVal = this.#code.int(count, 32);
    this.#call({
      name: "init_barrier_state",
      args: [this.#address(mbar), countVal, barriers!.value, barrierStates!.value],
      variant: [barriers!.type, barrierStates!.type],
      body(code, [bar, count, all, table]) {
        const { type } = barrierStates!;
        const before = code.load(table!, type);
        const isBar = code.compareAll(all!, bar!);
        const counts = splatCount(code, count!, type);
        const initialBit = code.all(INITIAL_COUNT_BIT, type);
        const countBit = code.all(COUNT_BIT, type);
        const initial = code.shl(counts, initialBit);
        const state = code.or(initial, code.shl(counts, countBit));
        code.store(table!, code.select(isBar, state, before), type);
        return undefined;
      },
    });
  }
  verifyBarrierArrive(mbar: Value, count: number, pred: Value | undefined): void {
    const { barriers, barrierStates } = this.state;
    const when = this.#predicate(pred);
    const countVal = this.#code.int(count, 32);
    this.#call({
      name: "verify_barrier_arrive",
      args: [this.#address(mbar), countVal, when, barriers!.value, barrierStates!.value],
      variant: [barriers!.type, barrierStates!.type],
      asserts: { message: "Barrier arrive underflow: current count would become negative", type: conditionType(barrierStates!.type) },
      body(code, [bar, count, pred, all, table]) {
        const { type } = barrierStates!;
        const states = code.load(table!, type);
        const isBar = code.compareAll(all!, bar!);
        const zero = code.all(0, type);
        const mask = code.all(COUNT_MASK, type);
        const countBit = code.all(COUNT_BIT, type);
        const current = code.and(code.shr(states, countBit), mask);
        const left = code.sub(current, splatCount(code, count!, type));
        const fits = code.cmp("sge", code.select(isBar, left, zero), zero);
        return code.select(pred!, fits, code.all(1, conditionType(type)));
      },
    });
  }
  updateBarrierState(mbar: Value, count: number, pred: Value | undefined): void {
    const { barriers, barrierStates } = this.state;
    const when = this.#predicate(pred);
    const countVal = this.#code.int(count, 32);
    this.#call({
      name: "update_barrier_state",
      args: [this.#address(mbar), countVal, when, barriers!.value, barrierStates!.value],
      variant: [barriers!.type, barrierStates!.type],
      predicate: 2,
      body(code, [bar, count, , all, table]) {
        const { type } = barrierStates!;
        const states = code.load(table!, type);
        const isBar = code.compareAll(all!, bar!);
        const zero = code.all(0, type);
        const one = code.all(1, type);
        const mask = code.all(COUNT_MASK, type);
        const initialBit = code.all(INITIAL_COUNT_BIT, type);
        const countBit = code.all(COUNT_BIT, type);
        const phase = code.and(states, one);
        const initial = code.and(code.shr(states, initialBit), mask);
        const current = code.and(code.shr(states, countBit), mask);
        const left = code.select(isBar, code.sub(current, splatCount(code, count!, type)), current);
        const ends = code.and(code.cmp("eq", left, zero), isBar);
        const newPhase = code.xor(phase, code.extend(ends, type));
        const newCount = code.select(ends, initial, left);
        const initialField = code.shl(initial, initialBit);
        const countField = code.shl(newCount, countBit);
        const state = code.or(code.or(newPhase, initialField), countField);
        code.store(table!, code.select(isBar, state, states), type);
        return undefined;
      },
    });
  }

  // --- who sees what --------------------------------------------------------------------------
  /** A buffer was written: only these threads see it. */
  setWriteVisibility(buffer: Value, threads: bigint, pred: Value | undefined, memory: MemType): void {
    this.#onBuffer("set_write_visibility", "writeVisibility", { of: buffer, pred, memory, given: [threads, 64] }, (code, row) => {
      const { type } = row.table;
      const before = code.load(row.pointer, type);
      const isBuf = code.compareAll(row.all, row.buf);
      const seen = code.splatElement(row.given!, type);
      code.store(row.pointer, code.select(isBuf, seen, before), type);
      return undefined;
    });
  }
  /** These threads read a buffer. */
  setReadVisibility(buffer: Value, threads: bigint, pred: Value | undefined, memory: MemType): void {
    this.#onBuffer("set_read_visibility", "readVisibility", { of: buffer, pred, memory, given: [threads, 64] }, (code, row) => {
      const { type } = row.table;
      const before = code.load(row.pointer, type);
      const isBuf = code.broadcast(code.compareAll(row.all, row.buf), 1, type);
      const bits = code.splatElement(row.given!, type);
      const columns = code.columnsOf(row.given!, type);
      const after = code.or(before, bits);
      code.store(row.pointer, code.select(code.and(isBuf, columns), after, before), type);
      return undefined;
    });
  }
  clearWriteTracking(buffer: Value, pred: Value | undefined, memory: MemType): void {
    this.#onBuffer("clear_write_tracking", "writeTracking", { of: buffer, pred, memory }, cleared);
  }
  clearReadVisibility(buffer: Value, pred: Value | undefined, memory: MemType): void {
    this.#onBuffer("clear_read_visibility", "readVisibility", { of: buffer, pred, memory }, cleared);
  }
  clearReadTracking(buffer: Value, pred: Value | undefined, memory: MemType): void {
    this.#onBuffer("clear_read_tracking", "readTracking", { of: buffer, pred, memory }, cleared);
  }
  /** An mbarrier hands on the writes that a thread sees. */
  trackVisibleWrites(mbar: Value, thread: number, pred: Value | undefined, memory: MemType): void {
    this.#onBarrier("track_visible_writes", "write", { of: mbar, pred, memory, given: [thread, 32] }, (code, row) => {
      const { seen, tracks, isBar, visibility, tracking } = row;
      const shift = code.extend(row.given, i64(code.ctx));
      const bit = code.splat(code.shl(code.int(1, 64), shift), visibility.type);
      const visible = code.broadcast(code.cmp("eq", code.and(seen, bit), bit), 1, tracking.type);
      const both = code.and(isBar, visible);
      return [row.tracked, code.select(both, code.all(1, tracking.type), tracks), tracking.type];
    });
  }
  trackVisibleReads(mbar: Value, thread: number, pred: Value | undefined, memory: MemType): void {
    this.#onBarrier("track_visible_reads", "read", { of: mbar, pred, memory, given: [thread, 32] }, (code, row) => {
      const { seen, tracks, isBar, visibility, tracking } = row;
      const column = code.columnMask(row.given, visibility.type);
      const own = code.select(column, seen, code.all(0, visibility.type));
      const visible = code.broadcast(code.orOver(own, 1), 1, tracking.type);
      return [row.tracked, code.select(isBar, code.or(tracks, visible), tracks), tracking.type];
    });
  }
  /** After a wait: these threads see what the mbarrier hands on. */
  transferVisibleWrites(mbar: Value, threads: bigint, pred: Value | undefined, memory: MemType): void {
    this.#onBarrier("transfer_visible_writes", "write", { of: mbar, pred, memory, given: [threads, 64] }, (code, row) => {
      const { type } = row.visibility;
      const rows = code.convert(handedOn(code, row), type.params.encoding!);
      const isHanded = code.cmp("eq", rows, code.all(1, rows.type as TensorType));
      const bits = code.splatElement(row.given, type);
      const added = code.select(isHanded, bits, code.all(0, type));
      return [row.seenBy, code.or(row.seen, added), type];
    });
  }
  transferVisibleReads(mbar: Value, threads: bigint, pred: Value | undefined, memory: MemType): void {
    this.#onBarrier("transfer_visible_reads", "read", { of: mbar, pred, memory, given: [threads, 64] }, (code, row) => {
      const { type } = row.visibility;
      const after = code.or(row.seen, code.broadcast(handedOn(code, row), 1, type));
      const columns = code.columnsOf(row.given, type);
      return [row.seenBy, code.select(columns, after, row.seen), type];
    });
  }
  /** Asserts that a thread sees the last write of a buffer. */
  verifyWriteVisibility(buffer: Value, thread: number, operand: string, pred: Value | undefined, memory: MemType): void {
    const asserts = `Buffer being accessed has outstanding writes.${operand && ` Operand: ${operand}`}`;
    this.#onBuffer(
      "verify_write_visibility",
      "writeVisibility",
      { of: buffer, pred, memory, given: [thread, 32], asserts },
      (code, row) => {
        const { type } = row.table;
        const seen = code.load(row.pointer, type);
        const isBuf = code.compareAll(row.all, row.buf);
        const zero = code.all(0, type);
        const ofBuf = code.select(isBuf, seen, zero);
        const unwritten = code.cmp("eq", ofBuf, zero);
        const shift = code.splat(code.extend(row.given!, i64(code.ctx)), type);
        const bit = code.shl(code.extend(isBuf, type), shift);
        const sees = code.cmp("eq", code.and(ofBuf, bit), bit);
        const fits = code.or(unwritten, sees);
        return code.select(row.pred, fits, code.all(1, conditionType(type)));
      },
    );
  }
  /** Asserts that a thread knows of all reads of a buffer. */
  verifyReadVisibility(buffer: Value, thread: number, operand: string, pred: Value | undefined, memory: MemType): void {
    const asserts = `Buffer being accessed has outstanding reads${operand && `. Operand: ${operand}`}`;
    this.#onBuffer("verify_read_visibility", "readVisibility", { of: buffer, pred, memory, given: [thread, 32], asserts }, (code, row) => {
      const { type } = row.table;
      const seen = code.load(row.pointer, type);
      const isBuf = code.broadcast(code.compareAll(row.all, row.buf), 1, type);
      const zero = code.all(0, type);
      const ofBuf = code.select(isBuf, seen, zero);
      const total = code.orOver(ofBuf, 1);
      const own = code.orOver(code.select(code.columnMask(row.given!, type), ofBuf, zero), 1);
      const sees = code.cmp("eq", code.and(own, total), total);
      const fits = code.select(row.pred, sees, code.all(1, sees.type as TensorType));
      return code.convert(fits, row.buffers.type.params.encoding!);
    });
  }
  /** Groups of warps that start see what the thread that starts them sees. */
  copyWriteVisibility(thread: number, threads: bigint, memory: MemType): void {
    const when = this.#predicate(undefined);
    const table = this.state.writeVisibility[memory]!;
    this.#call({
      name: "copy_write_visibility",
      args: [this.#code.int(thread, 32), this.#code.int(threads, 64), when, table.value],
      variant: [table.type, memoryNumber(memory)],
      predicate: 2,
      body(code, [source, threads, , pointer]) {
        const { type } = table;
        const seen = code.load(pointer!, type);
        const zero = code.all(0, type);
        const all = code.int(ALL_THREADS, 64);
        const others = code.xor(threads!, all);
        const bits = code.splat(threads!, type);
        const cleared = code.and(seen, code.splat(others, type));
        const shift = code.asElement(source!, type);
        const bit = code.splat(code.shl(code.int(1, 64), shift), type);
        const isSet = code.cmp("ne", code.and(seen, bit), zero);
        const copied = code.select(isSet, bits, zero);
        code.store(pointer!, code.or(cleared, copied), type);
        return undefined;
      },
    });
  }
  copyReadVisibility(thread: number, threads: bigint, memory: MemType): void {
    const when = this.#predicate(undefined);
    const table = this.state.readVisibility[memory]!;
    this.#call({
      name: "copy_read_visibility",
      args: [this.#code.int(thread, 32), this.#code.int(threads, 64), when, table.value],
      variant: [table.type, memoryNumber(memory)],
      predicate: 2,
      body(code, [source, , , pointer]) {
        const { type } = table;
        const seen = code.load(pointer!, type);
        const zero = code.all(0, type);
        const columns = code.columnsMask(threads, type);
        const cleared = code.select(columns, zero, seen);
        const own = code.orOver(code.select(code.columnMask(source!, type), seen, zero), 1);
        const row = code.broadcast(own, 1, type);
        const copied = code.select(columns, row, zero);
        code.store(pointer!, code.or(cleared, copied), type);
        return undefined;
      },
    });
  }

  // --- groups that are counted ----------------------------------------------------------------
  /** An access that belongs to the next group. */
  stageAccessForCommit(buffer: Value, thread: number, pred: Value | undefined, kind: CommitKind): void {
    const when = this.#predicate(pred);
    const commits = this.state.commits[kind]!;
    const buffers = this.state.buffers.shared_mem!;
    const threadVal = this.#code.int(thread, 32);
    this.#call({
      name: "stage_access_for_commit",
      args: [this.#address(buffer), when, threadVal, buffers.value, commits.value],
      variant: [buffers.type, commits.type],
      predicate: 1,
      body(code, [buf, , thread, all, pointer]) {
        const before = code.load(pointer!, commits.type);
        const isBuf = code.broadcast(code.compareAll(all!, buf!), 1, commits.type);
        const both = code.and(isBuf, code.columnMask(thread!, commits.type));
        code.store(pointer!, code.select(both, code.all(-1, commits.type), before), commits.type);
        return undefined;
      },
    });
  }
  /** A group ends: its accesses are outstanding, those of earlier groups one group older. */
  commitAccesses(thread: number, pred: Value | undefined, kind: CommitKind): void {
    const when = this.#predicate(pred);
    const commits = this.state.commits[kind]!;
    this.#call({
      name: "commit_accesses",
      args: [this.#code.int(thread, 32), when, commits.value],
      variant: [commits.type],
      predicate: 1,
      body(code, [thread, , pointer]) {
        const { type } = commits;
        const before = code.load(pointer!, type);
        const zero = code.int(0, 8);
        const minusOne = code.int(-1, 8);
        const ones = code.all(1, type);
        const column = code.columnMask(thread!, type);
        const isOlder = code.and(code.compareAll(before, zero, "sgt"), column);
        const older = code.add(before, ones);
        const aged = code.select(isOlder, older, before);
        const isStaged = code.and(code.compareAll(aged, minusOne), column);
        code.store(pointer!, code.select(isStaged, ones, aged), type);
        return undefined;
      },
    });
  }
  /** A wait for all but the last `pending` groups: these threads see what the others wrote, or know of what they read. */
  clearOutstandingCommits(what: "writes" | "reads", thread: number, threads: bigint, pending: number, kind: CommitKind): void {
    const when = this.#predicate(undefined);
    const commits = this.state.commits[kind]!;
    const table = this.state[what === "writes" ? "writeVisibility" : "readVisibility"].shared_mem!;
    const { type } = table;
    this.#call({
      name: `clear_outstanding_commits_transfer_${what}`,
      args: [this.#code.int(thread, 32), this.#code.int(threads, 64), this.#code.int(pending, 32), when, commits.value, table.value],
      variant: [commits.type, type],
      predicate: 3,
      body(code, [thread, threads, pending, , outstanding, pointer]) {
        const counts = code.load(outstanding!, commits.type);
        const seen = code.load(pointer!, type);
        const limit = code.asElement(pending!, commits.type);
        const column = code.columnMask(thread!, commits.type);
        const done = code.and(code.compareAll(counts, limit, "sgt"), column);
        const rows = code.orOver(done, 1);
        const changed = what === "writes" ? code.convert(rows, type.params.encoding!) : code.broadcast(rows, 1, type);
        const after = code.or(seen, code.splatElement(threads!, type));
        code.store(pointer!, code.select(changed, after, seen), type);
        const left = code.select(done, code.all(0, commits.type), counts);
        code.store(outstanding!, left, commits.type);
        return undefined;
      },
    });
  }
  /** Asserts that no group that was not waited for uses a buffer. */
  checkOutstandingCommits(buffer: Value, thread: number, pred: Value | undefined, kind: CommitKind): void {
    const address = this.#address(buffer);
    const when = this.#predicate(pred);
    const commits = this.state.commits[kind]!;
    const buffers = this.state.buffers.shared_mem!;
    const { type } = commits;
    this.#call({
      name: "check_outstanding_commits",
      args: [address, when, this.#code.int(thread, 32), buffers.value, commits.value],
      variant: [buffers.type, type, thread],
      asserts: { message: `Accessing buffer with pending access. Pending access type: ${kind}`, type: conditionType(type) },
      body(code, [buf, pred, , all, pointer]) {
        const counts = code.load(pointer!, type);
        const isBuf = code.broadcast(code.compareAll(all!, buf!), 1, type);
        const zero = code.all(0, type);
        const none = code.cmp("eq", code.select(isBuf, counts, zero), zero);
        return code.select(pred!, none, code.all(1, conditionType(type)));
      },
    });
  }

  // --- calls ----------------------------------------------------------------------------------
  #predicate(pred: Value | undefined): Value {
    return pred ?? this.#code.int(1, 1);
  }
  #address(memdesc: Value): Value {
    return this.rw.value(ExperimentalMemDescToI64Op, { memdesc }, { types: [i64(this.rw.ctx)] });
  }
  /** A call on the row of a buffer in a table, which asserts what `make` returns or changes the table. */
  #onBuffer(name: string, what: PerMemoryTable, access: Access, make: (code: TensorCode, row: BufferRow) => Value | undefined): void {
    const { pred, memory, given, asserts } = access;
    const buffers = this.state.buffers[memory]!;
    const table = this.state[what][memory]!;
    const when = this.#predicate(pred);
    const number = given && [this.#code.int(...given)];
    this.#call({
      name,
      args: [this.#address(access.of), when, ...(number ?? []), buffers.value, table.value],
      variant: [buffers.type, table.type, memoryNumber(memory)],
      ...(asserts === undefined ? { predicate: 1 } : { asserts: { message: asserts, type: conditionType(buffers.type) } }),
      body(code, args) {
        const [buf, when, ...rest] = args as [Value, Value, ...Value[]];
        const [all, pointer] = rest.slice(-2) as [Value, Value];
        return make(code, { buffers, table, buf, pred: when, given: number && rest[0], all, pointer });
      },
    });
  }
  /** A call on the column of an mbarrier, which stores what `make` returns. */
  #onBarrier(
    name: string,
    what: "write" | "read",
    { of, pred, memory, given }: Access & Required<Pick<Access, "given">>,
    make: (code: TensorCode, row: BarrierColumn) => readonly [table: Value, after: Value, type: TensorType],
  ): void {
    const { state } = this;
    const barriers = state.barriers!;
    const visibility = state[`${what}Visibility`][memory]!;
    const tracking = state[`${what}Tracking`][memory]!;
    const when = this.#predicate(pred);
    const number = this.#code.int(...given);
    this.#call({
      name,
      args: [this.#address(of), when, number, barriers.value, visibility.value, tracking.value],
      variant: [barriers.type, visibility.type, tracking.type, memoryNumber(memory)],
      predicate: 1,
      body(code, args) {
        const [bar, , given, all, seenBy, tracked] = args as [Value, Value, Value, Value, Value, Value];
        const seen = code.load(seenBy, visibility.type);
        const tracks = code.load(tracked, tracking.type);
        const isBar = code.broadcast(code.compareAll(all, bar), 0, tracking.type);
        code.store(...make(code, { visibility, tracking, given, seenBy, tracked, seen, tracks, isBar }));
        return undefined;
      },
    });
  }
  #call(callee: Callee): void {
    const { rw } = this;
    const { asserts, args } = callee;
    const call = rw.create(CallOp, { callee: this.#function(callee), operands: args }, { types: asserts ? [asserts.type] : [] }).op;
    if (asserts) rw.create(ExperimentalAssertInThreadOp, { condition: call.result(0), message: asserts.message, check_any: false });
  }
  /** The name of the function, which is made if there is none. */
  #function({ name: baseName, args, variant, predicate, body, asserts }: Callee): string {
    const { module } = this;
    const { ctx, listener } = this.rw;
    const numWarps = maybeLookupNumWarps(this.op) ?? 4;
    const inputs = args.map((arg) => arg.type);
    const mangled = [...inputs, ...variant, ...(asserts ? [asserts.type] : [])].map((part) =>
      typeof part === "number" ? `_I${part}` : `_T${hashOf(typeText(part))}`,
    );
    const name = `__triton_consan_${baseName}_nw${numWarps}${mangled.join("")}`;
    if (lookupSymbol(module, name)) return name;
    const rw = new Rewriter(ctx, listener, module.locRef);
    const function_type = functionType(ctx, inputs, asserts ? [asserts.type] : []);
    const extraAttrs = [[NUM_WARPS, i32Attr(ctx, numWarps)]] as const;
    const func = rw
      .setStart(module.regions[0]!.firstBlock!)
      .create(FuncOp, { sym_name: name, function_type, sym_visibility: "private" }, { extraAttrs }).op;
    const entry = rw.createBlock(func.regions[0]!, null, inputs);
    const code = new TensorCode(rw);
    let returned: Value | undefined;
    if (predicate === undefined) returned = body(code, entry.args);
    else code.whereTrue(entry, entry.args[predicate]!, () => void body(code, entry.args));
    rw.create(ReturnOp, { srcs: returned ? [returned] : [] });
    return name;
  }
}
type PerMemoryTable = "writeVisibility" | "readVisibility" | "writeTracking" | "readTracking";

/** A call on a buffer or an mbarrier (`of`) of some memory. */
interface Access {
  readonly of: Value;
  readonly pred: Value | undefined;
  readonly memory: MemType;
  /** A thread, or the bits of threads, and how many bits the number has. */
  readonly given?: readonly [number: number | bigint, width: number];
  /** The message where the call asserts. */
  readonly asserts?: string;
}
/** The arguments of a function on a row. */
interface BufferRow {
  readonly buffers: Table;
  readonly table: Table;
  readonly buf: Value;
  readonly pred: Value;
  readonly given: Value | undefined;
  /** The addresses of all buffers. */
  readonly all: Value;
  readonly pointer: Value;
}
/** The arguments of a function on a column, and the tables before it. */
interface BarrierColumn {
  readonly visibility: Table;
  readonly tracking: Table;
  readonly given: Value;
  readonly seenBy: Value;
  readonly tracked: Value;
  readonly seen: Value;
  readonly tracks: Value;
  readonly isBar: Value;
}
function cleared(code: TensorCode, { table: { type }, all, buf, pointer }: BufferRow): undefined {
  const before = code.load(pointer, type);
  const isBuf = code.broadcast(code.compareAll(all, buf), 1, type);
  code.store(pointer, code.select(isBuf, code.all(0, type), before), type);
}
/** The part of each buffer's state that an mbarrier hands on. */
const handedOn = (code: TensorCode, { isBar, tracks, tracking: { type } }: BarrierColumn): Value =>
  code.orOver(code.select(isBar, tracks, code.all(0, type)), 1);
const memoryNumber = (memory: MemType): number => (memory === "shared_mem" ? 0 : 1);

/** A number of eight digits for a type; upstream's is that of the type's address, and differs from run to run. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).toUpperCase().padStart(8, "0");
}

/** The bits of a thread in the state of those that wait. */
function waitingBits(code: TensorCode, thread: Value): Readonly<Record<"flag" | "phaseShift" | "clear" | "one", Value>> {
  const width = code.int(2, 32);
  const flagBit = code.int(0, 32);
  const phaseBit = code.int(1, 32);
  const one = code.int(1, 32);
  const minusOne = code.int(-1, 32);
  const base = code.mul(thread, width);
  const flagShift = code.add(base, flagBit);
  const phaseShift = code.add(base, phaseBit);
  const flag = code.shl(one, flagShift);
  const both = code.or(flag, code.shl(one, phaseShift));
  return { flag, phaseShift, clear: code.xor(both, minusOne), one };
}
/** A count of arrivals as far as the state has room for it. */
const splatCount = (code: TensorCode, count: Value, type: TensorType): Value => code.splat(code.and(count, code.int(COUNT_MASK, 32)), type);

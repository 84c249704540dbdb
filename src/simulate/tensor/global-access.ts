/** Loads and stores of many elements of global memory, with the checks of each address. */
import type { Operation } from "../../ir/operation.js";
import type { Data, Element } from "./elements.js";
import type { Machine } from "./machine.js";

/** Whether an access may go on; reports one that is out of bounds or misaligned. */
export function accessChecked(machine: Machine, op: Operation, address: number, bytes: number): boolean {
  if (address % bytes !== 0) {
    machine.findings.add("misaligned", op, `address 0x${address.toString(16)} is not a multiple of ${bytes} bytes`);
    return false;
  }
  const problem = machine.memory.outOfBounds(address, bytes);
  if (problem === undefined) return true;
  machine.findings.add("out-of-bounds", op, problem);
  // An address out of bounds but in the range of an argument still has a place; an address of no argument has none.
  return machine.memory.bufferAt(address) !== undefined;
}

/** Loads the lanes that are on into `out`; a wrong address leaves what is there. */
export function readElements(machine: Machine, op: Operation, element: Element, addresses: Data, mask: Data | undefined, out: Data): void {
  const { memory } = machine;
  const { bytes } = element;
  const address = addresses as Float64Array;
  const bits = bitsView(out, bytes);
  const isBool = element.width === 1;
  for (let i = 0; i < out.length; i++) {
    if (mask !== undefined && !mask[i]) continue;
    const at = address[i]!;
    if (!accessChecked(machine, op, at, bytes)) continue;
    if (bytes === 4) bits[i] = memory.load32(at);
    else if (bytes === 2) bits[i] = memory.load16(at);
    else if (bytes === 1) bits[i] = isBool ? (memory.load8(at) ? -1 : 0) : memory.load8(at);
    else if (element.family === "ptr") out[i] = Number(memory.load64(at));
    else (bits as unknown as BigInt64Array)[i] = memory.load64(at);
  }
  machine.bounds?.loaded(addresses, mask, out);
}

/** Stores the lanes that are on. `quiet`: the caller records the event. */
export function writeElements(
  machine: Machine,
  op: Operation,
  element: Element,
  addresses: Data,
  mask: Data | undefined,
  data: Data,
  quiet?: "quiet",
): void {
  const { memory } = machine;
  const { bytes } = element;
  const address = addresses as Float64Array;
  const bits = bitsView(data, bytes);
  const isBool = element.width === 1;
  for (let i = 0; i < data.length; i++) {
    if (mask !== undefined && !mask[i]) continue;
    const at = address[i]!;
    if (!accessChecked(machine, op, at, bytes)) continue;
    if (bytes === 4) memory.store32(at, bits[i]!);
    else if (bytes === 2) memory.store16(at, bits[i]!);
    else if (bytes === 1) memory.store8(at, isBool ? (bits[i] ? 1 : 0) : bits[i]!);
    else if (element.family === "ptr") memory.store64(at, BigInt(data[i]!));
    else memory.store64(at, (bits as unknown as BigInt64Array)[i]!);
  }
  if (quiet) return;
  machine.bounds?.storedFrom(data, addresses, mask);
  findConflict(machine, op, addresses, mask, data);
  machine.store(op, element, addresses, mask);
}

/** Two lanes that store different values at one place: which one stays is not defined. */
function findConflict(machine: Machine, op: Operation, addresses: Data, mask: Data | undefined, data: Data): void {
  let last = -1;
  let rising = true;
  for (let i = 0; i < addresses.length && rising; i++) {
    if (mask !== undefined && !mask[i]) continue;
    rising = (addresses[i] as number) > last;
    last = addresses[i] as number;
  }
  if (rising) return;
  const seen = new Map<number, number>();
  for (let i = 0; i < addresses.length; i++) {
    if (mask !== undefined && !mask[i]) continue;
    const address = addresses[i] as number;
    const before = seen.get(address);
    if (before !== undefined && !Object.is(data[before], data[i]))
      return machine.findings.add("store-conflict", op, `elements ${before} and ${i} are stored at one place, and differ`);
    seen.set(address, i);
  }
}

/** The elements as integers of their width. */
function bitsView(data: Data, bytes: number): Int8Array | Int16Array | Int32Array {
  const { buffer, byteOffset, length } = data;
  if (bytes === 4) return new Int32Array(buffer, byteOffset, length);
  if (bytes === 2) return new Int16Array(buffer, byteOffset, length);
  if (bytes === 1) return new Int8Array(buffer, byteOffset, length);
  return new BigInt64Array(buffer, byteOffset, length) as unknown as Int32Array;
}

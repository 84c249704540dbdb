/** Matrix products as tensor cores do them: exact products, sums in f32 (f64 for f64, i32 for integers). */
import type { Gpu } from "../../gpu/gpu.js";
import type { Element } from "./elements.js";
import { intElement } from "./elements.js";
import type { Machine } from "./machine.js";
import { type Tensor, tensor } from "./value.js";

/** How f32 operands are read: `tf32` leaves their low 13 bits out, all else counts them; with `f32` every stage multiplies as exactly as f32 does. */
export type InputPrecision = "tf32" | "ieee" | "f32";

/**
 * An accumulator of halves is rounded after each instruction, which takes so many of K. MFMA has none: it is rounded after the dot. A GPU
 * whose matrix instructions Triton does not use adds one product after the other.
 */
const HALF_STEP = 16;
const halfStepOn = ({ cuda, hip }: Gpu, k: number): number => (hip?.mfma ? k : cuda?.mmaVersions.length === 0 ? 1 : HALF_STEP);

/** The same in a program, with what it leaves open. */
export function product({ bounds, gpu }: Machine, a: Tensor, b: Tensor, c: Tensor, precision: InputPrecision): Tensor {
  const result = dot(a, b, c, precision, halfStepOn(gpu, a.shape.at(-1)!));
  // Triton gives AMD's small dots no matrix instruction: they are multiply-adds of f32.
  bounds?.product(result, a, b, c, precision, gpu.hip !== undefined);
  return result;
}

/** Bytes as the numbers 0 to 255. */
export const unsignedBytes = ({ shape, data }: Tensor): Tensor =>
  tensor(
    intElement(32),
    shape,
    Int32Array.from(data as Int8Array, (x) => x & 0xff),
  );

/** `c + a * b` for the last two dimensions, one product for each place of those before. */
export function dot(a: Tensor, b: Tensor, c: Tensor, precision: InputPrecision, halfStep = HALF_STEP): Tensor {
  const [m, k] = a.shape.slice(-2) as [number, number];
  const n = b.shape.at(-1)!;
  const batch = c.data.length / (m * n);
  if (c.element.family === "int") return intDot(a, b, c, batch, m, n, k);
  const wide = c.element.name === "f64";
  const [x, y] = [matrix(a, wide, precision), matrix(b, wide, precision)];
  const sum = wide ? new Float64Array(c.data.length) : new Float32Array(c.data.length);
  for (let i = 0; i < sum.length; i++) sum[i] = c.element.decode ? c.element.decode[c.data[i] as number]! : Number(c.data[i]);
  if (wide) multiply64(x as Float64Array, y as Float64Array, sum as Float64Array, batch, m, n, k);
  else {
    const step = c.element.encode ? halfStep : k;
    for (let from = 0; from < k; from += step) {
      multiply32(x as Float32Array, y as Float32Array, sum as Float32Array, batch, m, n, k, from, Math.min(k, from + step));
      if (from + step < k) roundInPlace(c.element, sum as Float32Array);
    }
  }
  return tensor(c.element, c.shape, rounded(c.element, sum));
}

function roundInPlace({ encode, decode }: Element, sum: Float32Array): void {
  for (let i = 0; i < sum.length; i++) sum[i] = decode![encode!(sum[i]!)]!;
}

function rounded(element: Element, sum: Float32Array | Float64Array): Tensor["data"] {
  const { encode } = element;
  if (!encode) return sum;
  const data = element.alloc(sum.length);
  for (let i = 0; i < sum.length; i++) data[i] = encode(sum[i]!);
  return data;
}

/** The numbers of an operand. */
function matrix({ element, data }: Tensor, wide: boolean, precision: InputPrecision): Float32Array | Float64Array {
  if (wide) return element.name === "f64" ? (data as Float64Array) : Float64Array.from(data as Float32Array);
  const values = new Float32Array(data.length);
  const { decode } = element;
  if (decode) for (let i = 0; i < values.length; i++) values[i] = decode[data[i] as number]!;
  else values.set(data as Float32Array);
  if (element.name === "f32" && precision === "tf32") {
    const bits = new Int32Array(values.buffer);
    for (let i = 0; i < bits.length; i++) bits[i]! &= 0xffffe000;
  }
  return values;
}

/** Adds the products of `begin` to `end` along K, in that order; four at a time, so that sums are loaded and stored less often. */
function multiply32(
  a: Float32Array,
  b: Float32Array,
  sum: Float32Array,
  batch: number,
  m: number,
  n: number,
  k: number,
  begin: number,
  end: number,
): void {
  const fours = begin + ((end - begin) & ~3);
  for (let z = 0; z < batch; z++)
    for (let i = 0; i < m; i++) {
      const row = (z * m + i) * n;
      const left = (z * m + i) * k;
      for (let l = begin; l < fours; l += 4) {
        const [f0, f1, f2, f3] = [a[left + l]!, a[left + l + 1]!, a[left + l + 2]!, a[left + l + 3]!];
        const from = (z * k + l) * n;
        for (let j = 0, at = from; j < n; j++, at++) {
          let x = Math.fround(sum[row + j]! + f0 * b[at]!);
          x = Math.fround(x + f1 * b[at + n]!);
          x = Math.fround(x + f2 * b[at + 2 * n]!);
          sum[row + j] = x + f3 * b[at + 3 * n]!;
        }
      }
      for (let l = fours; l < end; l++) {
        const factor = a[left + l]!;
        const from = (z * k + l) * n;
        for (let j = 0; j < n; j++) sum[row + j]! += factor * b[from + j]!;
      }
    }
}
function multiply64(a: Float64Array, b: Float64Array, sum: Float64Array, batch: number, m: number, n: number, k: number): void {
  for (let z = 0; z < batch; z++)
    for (let i = 0; i < m; i++) {
      const row = (z * m + i) * n;
      for (let l = 0; l < k; l++) {
        const factor = a[(z * m + i) * k + l]!;
        const from = (z * k + l) * n;
        for (let j = 0; j < n; j++) sum[row + j]! += factor * b[from + j]!;
      }
    }
}
function intDot(a: Tensor, b: Tensor, c: Tensor, batch: number, m: number, n: number, k: number): Tensor {
  const sum = Int32Array.from(c.data as Int32Array);
  const [x, y] = [a.data as Int32Array, b.data as Int32Array];
  for (let z = 0; z < batch; z++)
    for (let i = 0; i < m; i++)
      for (let l = 0; l < k; l++) {
        const factor = x[(z * m + i) * k + l]!;
        for (let j = 0; j < n; j++) sum[(z * m + i) * n + j] = (sum[(z * m + i) * n + j]! + Math.imul(factor, y[(z * k + l) * n + j]!)) | 0;
      }
  const data = c.element.alloc(sum.length);
  data.set(sum as never);
  return tensor(c.element, c.shape, c.element === intElement(32) ? sum : data);
}

/** Functions that the driver provides: `vprintf` and `__assertfail`. Arguments are words, a row each. */
import type { Site } from "./findings.js";
import { Stop } from "./findings.js";
import type { Step } from "./lanes.js";
import type { Warp } from "./warp.js";
import { WINDOWS } from "./windows.js";

/** Makes the step of a call: rows of the arguments' words and of the results'. */
export type Builtin = (args: readonly (readonly number[])[], results: readonly (readonly number[])[], site: Site) => Step;

export const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  [
    "vprintf",
    ([format = [], buffer = []], [result = []]) =>
      (warp, mask) => {
        for (let l = 0; l < 32; l++) {
          if (((mask >>> l) & 1) === 0) continue;
          const text = readText(warp, l, pointer(warp, l, format));
          const start = pointer(warp, l, buffer);
          warp.cta.print(
            printf(
              text,
              (offset, bytes) => readBytes(warp, l, start + offset, bytes),
              (at) => readText(warp, l, at),
            ),
          );
          if (result[0] !== undefined) warp.I[result[0] + l] = 0;
        }
      },
  ],
  [
    "__assertfail",
    ([message = [], file = [], line = []], _results, site) =>
      (warp, mask) => {
        const l = 31 - Math.clz32(mask & -mask);
        const text = readText(warp, l, pointer(warp, l, message));
        const place = `${readText(warp, l, pointer(warp, l, file))}:${warp.I[line[0]! + l]}`;
        warp.cta.findings.add("assert", site, `thread ${warp.thread(l)}: assertion '${text}' at ${place} failed`);
        throw new Stop("assert");
      },
  ],
  [
    "trap",
    (_args, _results, site) => (warp) => {
      warp.cta.findings.add("assert", site, "trap");
      throw new Stop("trap");
    },
  ],
]);

function pointer({ U }: Warp, lane: number, words: readonly number[]): number {
  return U[words[0]! + lane]! + (words[1] === undefined ? 0 : U[words[1] + lane]! * 2 ** 32);
}

/** A byte at a generic address. */
function readByte(warp: Warp, lane: number, at: number): number {
  if (at >= WINDOWS["param"]!) return warp.cta.memory.load8(at);
  if (at >= WINDOWS["local"]!) return warp.local[lane * warp.localBytes + at - WINDOWS["local"]!] ?? 0;
  if (at >= WINDOWS["shared"]!) return warp.cta.shared.u8[at - WINDOWS["shared"]!] ?? 0;
  return warp.cta.memory.load8(at);
}

function readBytes(warp: Warp, lane: number, at: number, bytes: number): DataView {
  const view = new DataView(new ArrayBuffer(8));
  for (let i = 0; i < bytes; i++) view.setUint8(i, readByte(warp, lane, at + i));
  return view;
}

const LONGEST_TEXT = 4096;

function readText(warp: Warp, lane: number, at: number): string {
  let text = "";
  for (let i = 0; i < LONGEST_TEXT; i++) {
    const byte = readByte(warp, lane, at + i);
    if (byte === 0) break;
    text += String.fromCharCode(byte);
  }
  return text;
}

/** C's printf over a buffer in which every argument is aligned to its size. */
export function printf(format: string, read: (offset: number, bytes: number) => DataView, readString: (at: number) => string): string {
  let offset = 0;
  const next = (bytes: number): DataView => {
    offset = Math.ceil(offset / bytes) * bytes;
    const view = read(offset, bytes);
    offset += bytes;
    return view;
  };
  return format.replace(
    /%([-+ 0#]*)(\d*)(?:\.(\d+))?(hh|h|ll|l|z)?([diuxXopcsfeEgGaA%])/g,
    (_all, flags: string, width: string, precision: string | undefined, length: string | undefined, conversion: string) => {
      if (conversion === "%") return "%";
      const wide = length === "ll" || length === "l" || length === "z" || conversion === "p";
      let text: string;
      if (conversion === "s") text = readString(Number(next(8).getBigUint64(0, true)));
      else if (conversion === "c") text = String.fromCharCode(next(4).getUint8(0));
      else if (/[diuxXop]/.test(conversion)) text = integerText(next(wide ? 8 : 4), conversion, wide);
      else text = floatText(next(8).getFloat64(0, true), conversion, precision === undefined ? 6 : Number(precision));
      if (flags.includes("+") && /[dif]/.test(conversion) && !text.startsWith("-")) text = `+${text}`;
      const size = Number(width);
      if (flags.includes("-")) return text.padEnd(size);
      return flags.includes("0") ? text.padStart(size, "0") : text.padStart(size);
    },
  );
}

function integerText(view: DataView, conversion: string, wide: boolean): string {
  const signed = conversion === "d" || conversion === "i";
  const value = wide
    ? signed
      ? view.getBigInt64(0, true)
      : view.getBigUint64(0, true)
    : BigInt(signed ? view.getInt32(0, true) : view.getUint32(0, true));
  if (conversion === "x" || conversion === "p") return (conversion === "p" ? "0x" : "") + value.toString(16);
  if (conversion === "X") return value.toString(16).toUpperCase();
  return value.toString(conversion === "o" ? 8 : 10);
}

function floatText(value: number, conversion: string, precision: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "inf";
  if (conversion === "f") return value.toFixed(precision);
  const exponent = (text: string) => text.replace(/e([+-])(\d)$/, "e$10$2");
  if (conversion === "e" || conversion === "E") return exponent(value.toExponential(precision));
  return String(Number(value.toPrecision(precision || 1)));
}

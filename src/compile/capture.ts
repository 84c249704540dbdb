/** What `tt-step capture` keeps of a kernel: `capture.json` in a folder of its own. */
import type { CommentSetting } from "../frontend/kernel-comment.js";

/** A launch that `tt-step capture` kept. */
export interface Captured {
  /** The folder with Triton's stages. */
  readonly folder: string;
  readonly kernel: string;
  readonly file: string;
  readonly line: number;
  readonly signature: string;
  /** `cuda:90` */
  readonly target: string;
  /** Triton's options by their Python names; those without a value are left out. */
  readonly options: ReadonlyMap<string, string>;
  /** The grid of the first launch. */
  readonly grid: readonly number[] | undefined;
}

/** Reads `capture.json`; the error is one line. */
export function readCapture(folder: string, text: string): Captured | { readonly error: string } {
  const damaged = { error: `'${folder}/capture.json' is damaged` };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return damaged;
  }
  if (!isRecord(json)) return damaged;
  const { function: kernel, file, line, signature, target, options, launches } = json;
  const texts = [kernel, file, signature, target];
  if (!texts.every((t) => typeof t === "string") || typeof line !== "number" || !isRecord(options)) return damaged;
  const [first] = Array.isArray(launches) ? (launches as readonly unknown[]) : [];
  const grid = isRecord(first) && Array.isArray(first["grid"]) ? (first["grid"] as readonly unknown[]).map(Number) : undefined;
  const given = Object.entries(options).filter(([, value]) => value !== null && COMPILED.has(typeof value));
  return {
    folder,
    kernel: kernel as string,
    file: file as string,
    line,
    signature: signature as string,
    target: target as string,
    options: new Map(given.flatMap(([key, value]) => (OPTIONS.has(key) ? [[key, pythonText(value)] as const] : []))),
    grid,
  };
}
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const COMPILED: ReadonlySet<string> = new Set(["number", "boolean"]);
/** The options that decide what is compiled. */
const OPTIONS: ReadonlySet<string> = new Set(["num_warps", "num_stages", "num_ctas", "maxnreg", "enable_fp_fusion", "debug"]);
const pythonText = (value: unknown): string => (value === true ? "True" : value === false ? "False" : String(value));

/** As the settings of a comment above the kernel. */
export const capturedSettings = ({ signature, target, options }: Captured): readonly CommentSetting[] =>
  [["signature", signature], ["target", target], ...options].map(([key, value]) => ({ key: key!, value: value! }));

/** The parser's WebAssembly, compiled in other threads: asked for first, it is ready when the front end is loaded. */
import { readWasm } from "./wasm.js";

/** What is used of it here: the library with its types is the browser's. */
declare const WebAssembly: { readonly compile: (bytes: Uint8Array) => Promise<object> };

export interface CompiledWasm {
  readonly runtime: object;
  readonly grammar: object;
  readonly walk: object;
  /** Bytes that the runtime's memory starts with; undefined for its own number. */
  readonly memory: number | undefined;
}

let started: Promise<CompiledWasm> | undefined;

/** Starts compiling it, once. */
export const compiledWasm = (): Promise<CompiledWasm> => (started ??= compile());

async function compile(): Promise<CompiledWasm> {
  const bytes = readWasm();
  const memory = shrinkMemory(bytes.runtime);
  const modules = [bytes.runtime, bytes.grammar, bytes.walk].map((module) => WebAssembly.compile(module));
  const [runtime, grammar, walk] = (await Promise.all(modules)) as [object, object, object];
  return { runtime, grammar, walk, memory };
}

/** The import of the runtime's memory: pages of 64 KiB, 512 at least and 32768 at most. */
const MEMORY_IMPORT = "\x03env\x06memory\x02\x01\x80\x04\x80\x80\x02";
/** Where 512 stands there. */
const LEAST_PAGES = MEMORY_IMPORT.indexOf("\x80\x04");

/**
 * Lets the runtime start with 2 MiB, and grow as the text needs it; returns the bytes that it starts with. V8 takes the 32 MiB that it would
 * start with for garbage in the making, and collects all there is.
 */
function shrinkMemory(runtime: Buffer): number | undefined {
  const at = runtime.indexOf(MEMORY_IMPORT, 0, "latin1");
  if (at < 0) return undefined; // A later version of the library.
  // LEB128 of 32 in the two bytes of 512.
  runtime.set([0x80 | 32, 0], at + LEAST_PAGES);
  return 32 * 65536;
}

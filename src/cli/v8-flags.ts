/** V8's flags under which Python is compiled, and large commands run: functions are optimized later, Python's parser practically never. */
export const OPTIMIZE_LATER = ["--interrupt-budget=2000000", "--wasm-tiering-budget=2000000000"];

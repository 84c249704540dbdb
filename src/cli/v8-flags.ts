/** The flags of V8 under which Python is compiled and large commands run: functions are optimized later. */
export const OPTIMIZE_LATER = ["--interrupt-budget=2000000"];

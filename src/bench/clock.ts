/** Clocks that other programs on the machine do not disturb, where the system (Linux) has them. */
import { existsSync, readFileSync } from "node:fs";

const SCHEDULED = "/proc/thread-self/schedstat";
const isLinux = existsSync(SCHEDULED);

/** Milliseconds for which this thread had a processor; elapsed ones elsewhere. V8's compiler and collector threads are not in it. */
export function threadClock(): number {
  return isLinux ? Number(readFileSync(SCHEDULED, "latin1").split(" ")[0]) / 1e6 : performance.now();
}

/** Milliseconds of processor time, of all their threads, that the processes started from here have had; elapsed ones elsewhere. */
export function childrenClock(): number {
  if (!isLinux) return performance.now();
  // The name in brackets may hold spaces; user and system time of children are the 14th and 15th numbers after it.
  const fields = readFileSync("/proc/self/stat", "latin1").split(") ").at(-1)!.split(" ");
  return (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK;
}
/** USER_HZ is 100 on every architecture that node runs on. */
const MS_PER_TICK = 10;

/** CPU time of this process, which says the same on a busy machine as on a quiet one. */
import { Worker } from "node:worker_threads";

/** Milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The signal by which a process ends that has had its CPU time. */
export const OUT_OF_TIME = "SIGVTALRM";

/**
 * Ends this process by OUT_OF_TIME once it has spent so many milliseconds more, counted from each call of the result on. Another thread sees
 * to it, as a loop without an end cannot.
 */
export function cpuLimit(): (ms: number) => void {
  const watch = new Worker(
    `const spent = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
    let limit = Infinity;
    require("node:worker_threads").parentPort.on("message", (ms) => { limit = spent() + ms; });
    setInterval(() => { if (spent() > limit) process.kill(process.pid, "${OUT_OF_TIME}"); }, 500);`,
    { eval: true },
  );
  return (ms) => watch.postMessage(ms);
}

/** Stores how many steps of each tour are done: `$XDG_STATE_HOME/tt-step/tours.json`, an object with a number for each tour. */
import type { Io } from "./io.js";

/** Undefined where neither XDG_STATE_HOME nor HOME is set. */
const progressPath = (env: Io["env"]): string | undefined => {
  const folder = env["XDG_STATE_HOME"] || (env["HOME"] && `${env["HOME"]}/.local/state`);
  return folder ? `${folder}/tt-step/tours.json` : undefined;
};

/** Steps behind, by tour. A file that is not there or that something else has written holds none. */
export function readProgress(io: Pick<Io, "env" | "readFile">): Readonly<Record<string, number>> {
  const path = progressPath(io.env);
  if (path === undefined) return {};
  try {
    const json: unknown = JSON.parse(io.readFile(path));
    const entries = Object.entries(json as object).filter(([, at]) => Number.isInteger(at) && (at as number) >= 0);
    return Object.fromEntries(entries) as Record<string, number>;
  } catch {
    return {};
  }
}

export function writeProgress(io: Pick<Io, "env" | "readFile" | "writeFile">, name: string, at: number): void {
  const path = progressPath(io.env);
  if (path !== undefined) io.writeFile(path, `${JSON.stringify({ ...readProgress(io), [name]: at }, undefined, 2)}\n`);
}

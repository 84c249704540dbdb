/** The page's first script, a small one: the compiler begins with the link's kernel while the browser reads the page's other script. */
import { fromFragment, type PageState } from "../link.js";
import type { Input } from "../protocol.js";
import { CompilerWorker } from "./compiler-worker.js";
import { nameFor } from "./kernel-name.js";

export { scriptUrl } from "./compiler-worker.js";

/** The kernel of a page without a link, which scripts/web.js puts into the page. */
declare const FIRST: Input;

/** The state that the address asks for, or the first one with the reason why its link cannot be read. */
export interface Opened {
  readonly state: PageState;
  readonly error?: string;
}

export async function readLink(): Promise<Opened> {
  const first: PageState = { mode: "compiler", input: FIRST };
  const fragment = location.hash.slice(1);
  if (fragment === "") return { state: first };
  const state = await fromFragment(fragment);
  if ("error" in state) return { state: first, error: state.error };
  return { state: { ...state, input: { ...state.input, name: nameFor(state.input) } } };
}

export const worker = new CompilerWorker(new URL("worker.js", document.baseURI).href);

/** The page's first state. The worker has its kernel. */
export const opened = readLink().then((read) => {
  const { input, against, screen } = read.state;
  worker.send({ kind: "compile", input, against, ...(screen === undefined ? {} : { open: screen }) });
  return read;
});

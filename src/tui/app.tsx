/**
 * The React side: Ink reads the keyboard and owns the life of the program, every state is painted once. A bundle of its own,
 * loaded when the UI opens; it imports nothing of the compiler. Ink's own drawing is left out: two full coloured panes at
 * 220x60 take it 28 ms, the painter 1 ms.
 */
import { type Key, render, useInput } from "ink";
import { useLayoutEffect, useSyncExternalStore } from "react";

/** What the components need of the program. */
export interface Store {
  readonly subscribe: (listener: () => void) => () => void;
  readonly revision: () => number;
  /** Whether the keyboard belongs to another program. */
  readonly suspended: () => boolean;
  readonly input: (text: string) => void;
  /** Paints a revision, once. */
  readonly paint: (revision: number) => void;
}

const SEQUENCES: readonly (readonly [keyof Key, string])[] = [
  ["upArrow", "\x1b[A"],
  ["downArrow", "\x1b[B"],
  ["rightArrow", "\x1b[C"],
  ["leftArrow", "\x1b[D"],
  ["pageUp", "\x1b[5~"],
  ["pageDown", "\x1b[6~"],
  ["home", "\x1b[H"],
  ["end", "\x1b[F"],
  ["return", "\r"],
  ["backspace", "\x7f"],
  ["delete", "\x7f"],
];

/** A key as the terminal sent it: what several keys in one chunk, pastes and the mouse mean is decided in `keys.ts`. */
export function sequenceOf(input: string, key: Key): string {
  for (const [name, sequence] of SEQUENCES) if (key[name]) return sequence;
  if (key.tab) return key.shift ? "\x1b[Z" : "\t";
  if (key.escape) return "\x1b";
  if (input.startsWith("[<")) return `\x1b${input}`;
  if (key.ctrl && input.length === 1) return String.fromCharCode(input.charCodeAt(0) & 31);
  return key.meta ? `\x1b${input}` : input;
}

function App({ store }: { readonly store: Store }) {
  const revision = useSyncExternalStore(store.subscribe, store.revision);
  useInput((input, key) => store.input(sequenceOf(input, key)), { isActive: !store.suspended() });
  return <Screen key="screen" store={store} revision={revision} />;
}

/** Everything seen, as one block. */
function Screen({ store, revision }: { readonly store: Store; readonly revision: number }) {
  useLayoutEffect(() => store.paint(revision), [store, revision]);
  return null;
}

/** Starts reading keys and painting; answers what ends it. */
export function startApp(store: Store, stdin: NodeJS.ReadStream, size: { readonly columns: number; readonly rows: number }): () => void {
  const nowhere = {
    ...size,
    isTTY: false,
    write: () => true,
    on: () => nowhere,
    off: () => nowhere,
    once: () => nowhere,
    removeListener: () => nowhere,
    emit: () => true,
  };
  const { unmount } = render(<App store={store} />, {
    stdin,
    stdout: nowhere as unknown as NodeJS.WriteStream,
    stderr: nowhere as unknown as NodeJS.WriteStream,
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: 120,
  });
  return unmount;
}

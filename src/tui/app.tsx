/**
 * Ink draws the screen and reads the keyboard. A bundle of its own, loaded when the UI opens or a screen is exported: it imports
 * nothing of the compiler.
 */
import chalk from "chalk";
import { render, renderToString, useInput } from "ink";
import { memo } from "react";
import type { Frame } from "./frame.js";
import { inputsOf, type TerminalInput } from "./keys.js";
import { Screen } from "./screen.js";

export { ready } from "./ink/yoga-layout.js";

// Whether there are colours, and which, is the theme's to say.
chalk.level = 3;

/** The interface that the components need from the program. */
export interface Host {
  readonly stdin: NodeJS.ReadStream;
  /** Writes a frame. */
  readonly write: (text: string) => void;
  readonly input: (inputs: readonly TerminalInput[]) => void;
  /** An error of React's or Ink's own. */
  readonly failed: (error: Error) => void;
}
export interface App {
  readonly show: (frame: Frame) => void;
  readonly stop: () => void;
}

const Keyboard = memo(({ host }: { readonly host: Host }) => {
  useInput((input, key) => host.input(inputsOf(input, key)));
  return null;
});
export function Program({ host, frame }: { readonly host: Host; readonly frame: Frame }) {
  return (
    <>
      <Keyboard host={host} />
      <Screen frame={frame} />
    </>
  );
}

/** Shows a first frame, and reads keys. All frames have its size: another size, or a screen that somebody else had, needs another App. */
export function startApp(host: Host, first: Frame): App {
  let isStopped = false;
  const write = (text: string): boolean => {
    if (!isStopped) host.write(text);
    return true;
  };
  const none = () => stdout;
  // Rows without end: Ink clears a terminal that a frame fills. Not a TTY: the program hides the cursor, and sends frames as one.
  const stdout = {
    columns: first.columns,
    rows: 2 ** 30,
    isTTY: false,
    write,
    on: none,
    off: none,
    once: none,
    removeListener: none,
    emit: none,
  };
  const { rerender, unmount, waitUntilExit } = render(<Program host={host} frame={first} />, {
    stdin: host.stdin,
    stdout: stdout as unknown as NodeJS.WriteStream,
    stderr: stdout as unknown as NodeJS.WriteStream,
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: MAX_FPS,
  });
  waitUntilExit().catch(host.failed);
  return {
    show: (frame) => rerender(<Program host={host} frame={frame} />),
    stop: () => {
      isStopped = true;
      unmount();
    },
  };
}
/** Frames a second, where keys come faster than a screen is drawn. */
const MAX_FPS = 250;

/** The screen as lines of text with styles. */
export function screenText(frame: Frame): string {
  return renderToString(<Screen frame={frame} />, { columns: frame.columns });
}

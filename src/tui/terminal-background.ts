/** The colour of the terminal's background, which it reports on request (OSC 11). The reply comes among what is typed. */

export const ASK_BACKGROUND = "\x1b]11;?\x07";
/** A terminal that has not replied in so many milliseconds will not. */
export const REPLY_MS = 200;

const REPLY = /\x1b\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})[^\x07\x1b]*(?:\x07|\x1b\\)/i;
/** The beginning of a reply, at the end of what has come. */
const BEGUN = /\x1b\](?:1(?:1(?:;[^\x07\x1b]*\x1b?)?)?)?$/;

/** Takes the reply out of what is typed; `found` is told whether the background is light. */
export class BackgroundReply {
  #isKnown = false;
  #begun = "";

  constructor(readonly found: (isLight: boolean) => void) {}

  /** The typed bytes, without the reply. */
  take(text: string): string {
    if (this.#isKnown) return text;
    const all = this.#begun + text;
    const reply = REPLY.exec(all);
    this.#begun = reply ? "" : (BEGUN.exec(all)?.[0] ?? "");
    if (!reply) return all.slice(0, all.length - this.#begun.length);
    this.#isKnown = true;
    const [red, green, blue] = reply.slice(1, 4).map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1)) as [
      number,
      number,
      number,
    ];
    this.found(0.299 * red + 0.587 * green + 0.114 * blue > 0.5);
    return all.slice(0, reply.index) + all.slice(reply.index + reply[0].length);
  }
  get isKnown(): boolean {
    return this.#isKnown;
  }
}

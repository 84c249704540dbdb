/** The worker that compiles, started again where it was stopped. */
import type { Answer, Order, Pictures, Question, Report } from "../protocol.js";

interface Hearer {
  readonly pictures: (pictures: Partial<Pictures>) => void;
  /** The worker has nothing to do. */
  readonly idle?: () => void;
  /** The worker was stopped or has ended by itself. */
  readonly ended: (why: string) => void;
  readonly broken: (message: string) => void;
}

/** The page's only policy: the URLs of its own scripts. */
const trusted = (
  globalThis as { trustedTypes?: { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } } }
).trustedTypes?.createPolicy("tt-step", { createScriptURL: (url: string) => url });
export const scriptUrl = (url: string): string => trusted?.createScriptURL(url) ?? url;

/** A worker's script must be of the page's own origin: one from elsewhere is loaded by a script that is. */
function sameOrigin(url: string): string {
  if (url.startsWith("blob:") || new URL(url).origin === location.origin) return url;
  return URL.createObjectURL(new Blob([`importScripts(${JSON.stringify(url)})`], { type: "text/javascript" }));
}

/** Seconds without a sign of life after which the worker is stopped: a kernel's own passes take a few at most. */
const MOST_SECONDS = 30;

export class CompilerWorker {
  #worker: Worker;
  #lastAsked = 0;
  /** A worker that ends before it has said anything is not started again. */
  #isHeard = false;
  #hearer: Hearer | undefined;
  /** Reports that came before there was somebody to hear them. */
  #unheard: ((hearer: Hearer) => void)[] = [];
  readonly #asked = new Map<number, (answer: Answer) => void>();
  #watch: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly url: string) {
    this.#worker = this.start();
  }
  hear(hearer: Hearer): void {
    this.#hearer = hearer;
    for (const report of this.#unheard.splice(0)) report(hearer);
  }
  private report(report: (hearer: Hearer) => void): void {
    if (this.#hearer) report(this.#hearer);
    else this.#unheard.push(report);
  }
  private start(): Worker {
    const worker = new Worker(scriptUrl(sameOrigin(this.url)));
    worker.onmessage = ({ data }: { readonly data: Report }) => {
      this.#isHeard = true;
      this.rest();
      if (data.kind === "idle") this.report((hearer) => hearer.idle?.());
      else this.watch();
      if (data.kind === "pictures") this.report((hearer) => hearer.pictures(data.pictures));
      else if (data.kind === "broken") this.report((hearer) => hearer.broken(data.message));
      else if (data.kind === "answer") {
        this.#asked.get(data.id)?.(data.answer);
        this.#asked.delete(data.id);
      }
    };
    worker.onerror = () => {
      if (this.#isHeard) return this.stop("the compiler ended: it ran out of memory, or met a bug");
      this.end();
      this.report((hearer) => hearer.ended("the compiler cannot be loaded"));
    };
    return worker;
  }
  private rest(): void {
    clearTimeout(this.#watch);
    this.#watch = undefined;
  }
  private watch(): void {
    const why = `the compiler was stopped: nothing was heard of it for ${MOST_SECONDS} s`;
    this.#watch ??= setTimeout(() => this.stop(why), MOST_SECONDS * 1000);
  }
  send(order: Order): void {
    this.watch();
    this.#worker.postMessage(order);
  }
  ask(question: Question): Promise<Answer> {
    const id = ++this.#lastAsked;
    return new Promise((answered) => {
      this.#asked.set(id, answered);
      this.send({ kind: "ask", id, question });
    });
  }
  /** Ends it for good. */
  end(): void {
    this.rest();
    this.#worker.terminate();
  }
  /** Ends what is under way, whatever it is. */
  stop(why: string): void {
    this.rest();
    this.#worker.terminate();
    this.#worker = this.start();
    for (const answered of this.#asked.values()) answered({ sections: [], text: why, failed: true });
    this.#asked.clear();
    this.report((hearer) => hearer.ended(why));
  }
}

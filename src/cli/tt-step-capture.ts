/** `tt-step capture -- python train.py`: runs a program that uses Triton, and keeps what Triton compiles in it. */
import { resolve } from "node:path";
import { EXIT, type Io } from "./io.js";
import type { LineOf } from "./tt-step-args.js";

export function captureMain({ words, values }: LineOf<"capture">, io: Io): number {
  const usage = (message: string): number => {
    io.stderr.write(`tt-step capture: ${message}\n`);
    return EXIT.badInput;
  };
  const [program, ...args] = words;
  if (program === undefined) return usage("expects a program after --, as tt-step capture -- python train.py. Try: tt-step capture --help");
  const { runInTerminal, packageFolder, env, cwd } = io;
  if (!runInTerminal || cwd === undefined) return usage("no program can be run here");
  const folder = values.output;
  const absolute = resolve(cwd, folder);
  const status = runInTerminal(program, args, {
    PYTHONPATH: [`${packageFolder}/python/tt_step/site`, env["PYTHONPATH"]].filter(Boolean).join(":"),
    TT_STEP_CAPTURE: absolute,
    TT_STEP_CAPTURE_NO_GPU: values.gpu ? "" : values.target,
  });
  if (typeof status === "object") return usage(`cannot run '${program}': ${status.error}`);
  const kept = (io.readFolder(absolute) ?? []).filter((path) => /^[^/]+\/capture\.json$/.test(path)).length;
  const how = kept === 0 ? "" : `; tt-step ${folder} steps through them`;
  io.stderr.write(`tt-step capture: ${kept} kernel${kept === 1 ? "" : "s"} in '${folder}'${how}\n`);
  return status;
}

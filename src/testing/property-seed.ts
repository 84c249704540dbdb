/** Property tests take the same inputs in every run; `FC_SEED=N npm test` takes others. */
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env["FC_SEED"] ?? 1) });

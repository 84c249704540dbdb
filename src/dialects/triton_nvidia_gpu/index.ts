/** ttng under its name before 3.3. */
import { defineDialect } from "../../ir/define-dialect.js";
import * as ops from "./ops.js";

export const tritonNvidiaGpu = defineDialect("triton_nvidia_gpu", { ops: [ops] });

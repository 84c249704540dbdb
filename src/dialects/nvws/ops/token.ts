/** Channels between a producer and a consumer that take turns. Source: NVWSOps.td. */
import { I1, I32, I32Attr } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { TokenLoadTypeAttr, TokenTensor } from "../types.js";

export const CreateTokenOp = defineOp("nvws.create_token", () => ({
  summary: "Create a token to be used for synchronizations in communication channels",
  attrs: { numBuffers: I32Attr, loadType: TokenLoadTypeAttr },
  results: { result: TokenTensor },
  format: "attr-dict `:` type($result)",
}));

export const ProducerAcquireOp = defineOp("nvws.producer_acquire", () => ({
  summary: "Producer acquires a token to fill buffers",
  operands: { token: TokenTensor, idx: I32, phase: I1 },
  format: "$token `,` $idx `,` $phase attr-dict `:` type(operands)",
}));

export const ProducerCommitOp = defineOp("nvws.producer_commit", () => ({
  summary: "Producer commits the buffer changes",
  operands: { token: TokenTensor, idx: I32 },
  format: "$token `,` $idx attr-dict `:` type(operands)",
}));

export const ConsumerWaitOp = defineOp("nvws.consumer_wait", () => ({
  summary: "Consumer awaits buffer readiness",
  operands: { token: TokenTensor, idx: I32, phase: I1 },
  format: "$token `,` $idx `,` $phase attr-dict `:` type(operands)",
}));

export const ConsumerReleaseOp = defineOp("nvws.consumer_release", () => ({
  summary: "Consumer releases the token",
  operands: { token: TokenTensor, idx: I32 },
  format: "$token `,` $idx attr-dict `:` type(operands)",
}));

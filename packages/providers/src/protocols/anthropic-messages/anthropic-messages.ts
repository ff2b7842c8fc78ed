/** Anthropic's Messages API, version 2023-06-01. */
import type { Protocol } from "../../wire/protocol.ts";
import { MessagesDecoder, decodeBody } from "./decode.ts";
import { encode } from "./encode.ts";
import { toError } from "./errors.ts";

export const anthropicMessages: Protocol = {
  id: "anthropic-messages",
  encode,
  decoder: (target) => new MessagesDecoder(target),
  decodeBody,
  toError,
};

/** OpenAI's Chat Completions API, which many other servers implement. */
import type { Protocol } from "../../wire/protocol.ts";
import { toError } from "../openai-errors.ts";
import { ChatDecoder, decodeBody } from "./decode.ts";
import { encode } from "./encode.ts";

export const openAiChat: Protocol = {
  id: "openai-chat",
  encode,
  decoder: (target) => new ChatDecoder(target),
  decodeBody,
  toError,
};

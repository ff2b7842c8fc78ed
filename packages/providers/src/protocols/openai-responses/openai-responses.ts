/** OpenAI's Responses API. */
import type { Protocol } from "../../wire/protocol.ts";
import { ResponsesDecoder, decodeBody } from "./decode.ts";
import { encode } from "./encode.ts";
import { toError } from "../openai-errors.ts";

export const openAiResponses: Protocol = {
  id: "openai-responses",
  encode,
  decoder: (target) => new ResponsesDecoder(target),
  decodeBody,
  toError,
};

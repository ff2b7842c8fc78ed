/** Google's generateContent API, v1beta. */
import type { Protocol } from "../../wire/protocol.ts";
import { GenerateDecoder, decodeBody } from "./decode.ts";
import { encode } from "./encode.ts";
import { toError } from "./errors.ts";

export const googleGenerate: Protocol = {
  id: "google-generate",
  encode,
  decoder: (target) => new GenerateDecoder(target),
  decodeBody,
  toError,
};

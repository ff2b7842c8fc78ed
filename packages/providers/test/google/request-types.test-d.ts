/** Our request is one of the vendor's own: what the vendor takes away is an error here. */
import type { Content, FunctionDeclaration, GenerateContentConfig, Part } from "@google/genai";
import { expectTypeOf, test } from "vitest";
import type {
  CallPart,
  FunctionDeclaration as OurDeclaration,
  GenerationConfig,
  MediaPart,
  ResultPart,
  TextPart,
} from "../../src/protocols/google-generate/request.ts";
import type { Writable } from "../writable.ts";

test("every part that we write is one that the vendor takes", () => {
  expectTypeOf<Writable<TextPart>>().toExtend<Part>();
  expectTypeOf<Writable<MediaPart>>().toExtend<Part>();
  expectTypeOf<Writable<CallPart>>().toExtend<Part>();
  expectTypeOf<Writable<ResultPart>>().toExtend<Part>();
  expectTypeOf<{ role: "user" | "model"; parts: Writable<TextPart>[] }>().toExtend<Content>();
  expectTypeOf<Writable<OurDeclaration>>().toExtend<FunctionDeclaration>();
});

test("every limit is one of the vendor's", () => {
  expectTypeOf<keyof GenerationConfig>().toExtend<keyof GenerateContentConfig>();
});

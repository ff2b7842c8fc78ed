/** Encodes a reply to send it back: texts and calls with their signatures, and vendor-run tools, for readers that may see them. */
import type { AssistantMessage, AssistantPart, JsonValue, ToolCallPart } from "@capstan/kernel";
import type { Readable } from "../../projection/readable-origins.ts";
import { isBlankText } from "../../projection/shown-media.ts";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, textAt } from "../../wire/wire-json.ts";
import type { CallPart, ModelPart } from "./request.ts";

/** Sent instead of a missing signature: it makes the vendor skip validation. ai.google.dev, "Thought signatures", 2026-11. */
const noSignature = "skip_thought_signature_validator";

export interface ReplyContext {
  readonly readable: Readable;
  /** Whether the first call of a step must be signed. */
  readonly needsSignatures: boolean;
}

export function toReplyParts(message: AssistantMessage, context: ReplyContext): ModelPart[] {
  const parts = message.content
    .map((part) => toReplyPart(part, context))
    .filter((part) => part !== undefined);
  return context.needsSignatures ? withSignature(parts) : parts;
}

function toReplyPart(part: AssistantPart, { readable }: ReplyContext): ModelPart | undefined {
  const { native, thinking } = readable;
  switch (part.type) {
    case "text": {
      const thoughtSignature = thinking ? signatureOf(part.providerData) : undefined;
      if (isBlankText(part.text) && thoughtSignature === undefined) return undefined;
      return { text: part.text, ...(thoughtSignature !== undefined && { thoughtSignature }) };
    }
    case "refusal":
      return isBlankText(part.text) ? undefined : { text: part.text };
    case "thinking":
      // The vendor does not want its thoughts back, only the signatures on the content they led to.
      return undefined;
    case "tool_call":
      if (part.isProviderExecuted !== true) return toCall(part, readable);
      return native ? toNative(dataOf(part.providerData)["part"]) : undefined;
    case "native":
      return native ? toNative(part.data) : undefined;
    default:
      return part satisfies never;
  }
}

function toCall(part: ToolCallPart, { native, thinking }: Readable): CallPart {
  const id = callIdOf(part, native);
  const thoughtSignature = thinking ? signatureOf(part.providerData) : undefined;
  const input = part.malformedInput === undefined ? part.input : {};
  return {
    functionCall: {
      ...(id !== undefined && { id }),
      name: toWireName(part.name),
      args: isObject(input) ? input : input === null ? {} : { input },
    },
    ...(thoughtSignature !== undefined && { thoughtSignature }),
  };
}

/** The vendor's own id, if it gave one: without ids it matches calls and results by order. */
export function callIdOf({ providerData }: ToolCallPart, isNative: boolean): string | undefined {
  return isNative ? textAt(dataOf(providerData), "id") : undefined;
}

/** The model may have called a tool that does not exist, under a name the vendor rejects. */
export function toWireName(name: string): string {
  const clean = name.replaceAll(/[^a-zA-Z0-9_.:-]/g, "_").slice(0, 128);
  return /^[a-zA-Z_]/.test(clean) ? clean : `_${clean}`.slice(0, 128);
}

function withSignature(parts: readonly ModelPart[]): ModelPart[] {
  const first = parts.findIndex((part) => "functionCall" in part);
  return parts.map((part, index) =>
    index === first && !("thoughtSignature" in part)
      ? { ...part, thoughtSignature: noSignature }
      : part,
  );
}

function toNative(data: JsonValue | undefined): ModelPart | undefined {
  return isObject(data) ? data : undefined;
}

function signatureOf(providerData: unknown): string | undefined {
  return textAt(dataOf(providerData), "thoughtSignature");
}

function dataOf(providerData: unknown): JsonObject {
  return isObject(providerData) ? providerData : {};
}

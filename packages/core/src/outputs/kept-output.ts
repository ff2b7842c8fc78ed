/** Outputs as bytes: what a blob of a session holds of one. */
import type { KeptOutput, ToolContent } from "@capstan/kernel";
import { textOf } from "./output-text.ts";

type Form = KeptOutput["mediaType"];

/** What is not text alone, or not sound text, which UTF-8 cannot say, is JSON, which can. */
export function toBytes(content: ToolContent): { bytes: Uint8Array; form: Form } {
  const isPlain = typeof content === "string" && content.isWellFormed();
  const text = isPlain ? content : JSON.stringify(content);
  const form = isPlain ? "text/plain" : "application/json";
  return { bytes: new TextEncoder().encode(text), form };
}

export function fromBytes(bytes: Uint8Array, form: Form): ToolContent {
  // A mark at the beginning belongs to the output.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  // Nobody but `toBytes` writes these blobs.
  return form === "text/plain" ? text : (JSON.parse(text) as ToolContent);
}

export function keptAs(blob: string, content: ToolContent, mediaType: Form): KeptOutput {
  return { blob, mediaType, chars: textOf(content).length };
}

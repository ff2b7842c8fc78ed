/** Outputs as bytes, for blobs of a session. */
import type { KeptOutput, ToolContent } from "@capstan/kernel";
import { textOf } from "./output-text.ts";

type Form = KeptOutput["mediaType"];

/** Well-formed text is UTF-8. Anything else is JSON, which can hold parts and lone surrogates. */
export function toBytes(content: ToolContent): { bytes: Uint8Array; form: Form } {
  const isPlain = typeof content === "string" && content.isWellFormed();
  const text = isPlain ? content : JSON.stringify(content);
  const form = isPlain ? "text/plain" : "application/json";
  return { bytes: new TextEncoder().encode(text), form };
}

export function fromBytes(bytes: Uint8Array, form: Form): ToolContent {
  // A byte order mark belongs to the output.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  // Only `toBytes` writes these blobs.
  return form === "text/plain" ? text : (JSON.parse(text) as ToolContent);
}

export function keptAs(blob: string, content: ToolContent, mediaType: Form): KeptOutput {
  return { blob, mediaType, chars: textOf(content).length };
}

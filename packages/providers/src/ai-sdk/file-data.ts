/** Converts files from every form the AI SDK accepts to the form that is stored. */
import type { Fields } from "./fields.ts";
import { isFields, textIn } from "./fields.ts";
import { toBase64 } from "../wire/to-base64.ts";

/** Base64 or a URL, as JSON. */
export type KeptFile =
  | { readonly type: "data"; readonly data: string }
  | { readonly type: "url"; readonly url: string };

/** Returns undefined for anything else, and for file ids that only a vendor can resolve. */
export function toKeptFile(data: unknown): KeptFile | undefined {
  if (typeof data === "string") return fromText(data);
  if (data instanceof URL) return fromText(data.href);
  const bytes = toBytes(data);
  if (bytes !== undefined) return { type: "data", data: toBase64(bytes) };
  return isFields(data) ? fromTagged(data) : undefined;
}

function fromTagged(file: Fields): KeptFile | undefined {
  if (file["type"] === "data") return toKeptFile(file["data"]);
  if (file["type"] === "url") {
    // The URL before parsing normalized it.
    const url = textIn(file, "originalUrl") ?? file["url"];
    return url instanceof URL || typeof url === "string" ? fromText(String(url)) : undefined;
  }
  const text = file["type"] === "text" ? textIn(file, "text") : undefined;
  return text === undefined ? undefined : toKeptFile(new TextEncoder().encode(text));
}

const dataUrl = /^data:[^,]*?;base64,/i;

/** A string that is not a URL is base64. */
function fromText(text: string): KeptFile {
  const head = dataUrl.exec(text)?.[0];
  if (head !== undefined) return { type: "data", data: text.slice(head.length) };
  return /^[a-z][a-z\d+.-]*:/i.test(text)
    ? { type: "url", url: text }
    : { type: "data", data: text };
}

function toBytes(data: unknown): Uint8Array | undefined {
  if (data instanceof Uint8Array) return data;
  return data instanceof ArrayBuffer ? new Uint8Array(data) : undefined;
}

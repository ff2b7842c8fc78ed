/** Files as the AI SDK has them, in all the forms that it takes, and as they are kept. */
import type { Fields } from "./fields.ts";
import { isFields, textIn } from "./fields.ts";
import { toBase64 } from "../wire/to-base64.ts";

/** Base64, or where it is: JSON. */
export type KeptFile =
  | { readonly type: "data"; readonly data: string }
  | { readonly type: "url"; readonly url: string };

/** Undefined for what is none, and for an id that only a vendor knows. */
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
    // The same without what parsing has changed.
    const url = textIn(file, "originalUrl") ?? file["url"];
    return url instanceof URL || typeof url === "string" ? fromText(String(url)) : undefined;
  }
  const text = file["type"] === "text" ? textIn(file, "text") : undefined;
  return text === undefined ? undefined : toKeptFile(new TextEncoder().encode(text));
}

const dataUrl = /^data:[^,]*?;base64,/i;

/** A text is base64 if it is no URL. */
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

/** Encodings of text files: a file keeps its own when it is changed. */
import { FileError } from "./file-error.ts";

/** `latin1` stands for every single-byte encoding: its bytes are kept, whatever they mean. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "latin1";

export interface DecodedText {
  /** Including a byte order mark. */
  readonly text: string;
  readonly encoding: Encoding;
}

/** Undefined if the bytes are not text. */
export function decodeText(bytes: Buffer): DecodedText | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return utf16(bytes, "utf-16le");
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return utf16(bytes, "utf-16be");
  if (bytes.includes(0)) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, encoding: "utf-8" };
  } catch {
    // Not UTF-8: only text in a single-byte encoding has no control characters.
    return hasControls(bytes) ? undefined : { text: bytes.toString("latin1"), encoding: "latin1" };
  }
}

/** Throws `FileError` `binary` if the encoding has no such character. */
export function encodeText(text: string, encoding: Encoding, path: string): Buffer {
  switch (encoding) {
    case "utf-8":
      return Buffer.from(text);
    case "utf-16le":
      return Buffer.from(text, "utf16le");
    case "utf-16be":
      return Buffer.from(text, "utf16le").swap16();
    case "latin1": {
      const [strange] = /[\u{100}-\u{10ffff}]/u.exec(text) ?? [];
      if (strange === undefined) return Buffer.from(text, "latin1");
      const problem = `${path} is not a UTF-8 file but has one byte for each character, and cannot hold "${strange}". Nothing was written: use other characters, or convert the file with bash first.`;
      throw new FileError("binary", problem);
    }
    default:
      return encoding satisfies never;
  }
}

function utf16(bytes: Buffer, encoding: "utf-16le" | "utf-16be"): DecodedText | undefined {
  if (bytes.length % 2 !== 0) return undefined;
  try {
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, encoding };
  } catch {
    // A lone surrogate would not survive a round trip.
    return undefined;
  }
}

/** Control characters that text files do have: tab, line feed, form feed, carriage return, escape. */
const usual: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b]);

function hasControls(bytes: Buffer): boolean {
  return bytes.some((byte) => (byte < 0x20 && !usual.has(byte)) || byte === 0x7f);
}

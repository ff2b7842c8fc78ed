/** Texts that a server wrote: untrusted, and bounded before anyone reads them. */

/**
 * Characters that a reader does not see, or that change how the text around them looks: controls except tab and line feed, marks of
 * direction, zero-width characters and tags, in which instructions can be hidden.
 */
const hidden =
  // oxlint-disable-next-line no-control-regex -- It finds them.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Returns the text without hidden characters, and at most so long. */
export function cleanText(text: string, maxChars: number): string {
  const shown = text.replaceAll("\r\n", "\n").replaceAll(hidden, "");
  return shown.length <= maxChars ? shown : `${shown.slice(0, maxChars - 1).trimEnd()}…`;
}

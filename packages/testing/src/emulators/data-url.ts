/** A file inside a data URL. */

export interface DataUrl {
  readonly mediaType: string;
  /** Base64, if it is valid. */
  readonly text: string;
}

/** Undefined for other URLs. */
export function readDataUrl(url: string): DataUrl | undefined {
  const match = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  return match === null ? undefined : { mediaType: match[1] ?? "", text: match[2] ?? "" };
}

/** First line of an exported session: a marker and a version. The other lines are its entries and blobs, as `exportSession` yields them. */

/** Version of the line format. Entries have their own. */
const version = 1;
const mark = "capstan_session";

export interface SessionHeader {
  readonly id: string;
  readonly title: string | undefined;
  /** Folder the session worked in. */
  readonly folder: string | undefined;
  readonly exportedAt: number;
}

export function toHeader(header: SessionHeader): string {
  return JSON.stringify({ type: mark, version, ...header });
}

/** Returns the session's id, or what is wrong with the line. */
export function parseHeader(
  value: unknown,
): { readonly type: "header"; readonly id: string | undefined } | string {
  const header = (typeof value === "object" && value !== null ? value : {}) as {
    readonly type?: unknown;
    readonly version?: unknown;
    readonly id?: unknown;
  };
  if (header.type !== mark) return "this is not the first line of an exported session";
  if (header.version !== version) {
    return `unsupported version ${JSON.stringify(header.version)}, this program reads version ${version}: update it`;
  }
  return { type: "header", id: typeof header.id === "string" ? header.id : undefined };
}

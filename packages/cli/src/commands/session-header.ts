/** The first line of an exported session: that it is one, and of which version. The others are its entries and blobs, as `exportSession` gives them. */

/** Of the lines, not of the entries: those have their own. */
const version = 1;
const mark = "capstan_session";

export interface SessionHeader {
  readonly id: string;
  readonly title: string | undefined;
  /** Where it worked. */
  readonly folder: string | undefined;
  readonly exportedAt: number;
}

export function toHeader(header: SessionHeader): string {
  return JSON.stringify({ type: mark, version, ...header });
}

/** The id of the session; or what is wrong with the line. */
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
    return `the lines are of version ${JSON.stringify(header.version)}, and this program knows ${version}: update it`;
  }
  return { type: "header", id: typeof header.id === "string" ? header.id : undefined };
}

/** Gets one page: only from public addresses, in bounded time and memory. */
import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns";
import type { IncomingMessage, RequestOptions } from "node:http";
import { isIP } from "node:net";
import { FileError } from "../files/file-error.ts";
import { isPublicAddress } from "./public-address.ts";

export interface PageLimits {
  readonly maxBytes: number;
  readonly allowPrivate: boolean;
  readonly signal: AbortSignal;
}

export interface Page {
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  /** Whether the page is larger than `maxBytes`. */
  readonly isCut: boolean;
}

const maxRedirects = 5;

/** Follows redirects, each checked like the first address. Throws `FileError`, or the network's error. */
export async function getPage(address: string, limits: PageLimits): Promise<Page> {
  let url = toUrl(address, undefined);
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const response = await request(url, limits);
    const { statusCode: status = 0, headers } = response;
    const isRedirect = status >= 300 && status < 400 && headers.location !== undefined;
    if (!isRedirect) {
      const { body, isCut } = await readBody(response, limits.maxBytes);
      return { url: url.href, status, contentType: headers["content-type"] ?? "", body, isCut };
    }
    response.destroy();
    url = toUrl(headers.location ?? "", url);
  }
  throw new FileError("unreadable", `${address} has too many redirects.`);
}

function toUrl(address: string, base: URL | undefined): URL {
  const url = URL.parse(address, base?.href);
  if (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    url.password === ""
  ) {
    return url;
  }
  const problem = `${address.slice(0, 200)} is not a valid address. Use http or https, without a user and password.`;
  throw new FileError("outside", problem);
}

async function request(url: URL, { allowPrivate, signal }: PageLimits): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  // An IP address is not looked up, so it is checked here.
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) throw notPublic(host);
  const options: RequestOptions = {
    signal,
    // A reused connection would not be looked up again.
    agent: false,
    headers: {
      "user-agent": "capstan",
      "accept-encoding": "identity",
      accept: "text/html, text/*, */*",
    },
    ...(!allowPrivate && { lookup: lookupPublic }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // Loaded with the first page: Node's HTTP modules take 40 ms to import.
  const { get } = await (url.protocol === "https:" ? import("node:https") : import("node:http"));
  get(url, options, resolve).on("error", reject);
  return promise;
}

/** Checks the same addresses that are connected to: a second lookup cannot return others. */
const lookupPublic: NonNullable<RequestOptions["lookup"]> = (host, options, answer) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return answer(error, [], 0);
    const [first] = addresses;
    if (first === undefined || !addresses.every(isPublic)) return answer(notPublic(host), [], 0);
    return options.all === true
      ? answer(null, addresses)
      : answer(null, first.address, first.family);
  });
};

function isPublic({ address }: LookupAddress): boolean {
  return isPublicAddress(address);
}

function notPublic(host: string): FileError {
  return new FileError(
    "outside",
    `${host} is not a public address. Only public pages can be fetched.`,
  );
}

async function readBody(
  response: IncomingMessage,
  maxBytes: number,
): Promise<{ body: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    // A stream without an encoding yields buffers.
    const bytes = chunk as Buffer;
    chunks.push(bytes);
    size += bytes.length;
    if (size > maxBytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: size > maxBytes };
}

/** Requests to one or several servers: authenticated, retried if possible, with typed errors only. */
import type { ErrorReply } from "@capstan/log";
import { ClientError } from "../errors/client-error.ts";
import type { RetryOptions } from "./pause.ts";
import { delayBefore, pause } from "./pause.ts";

/** An option that is undefined was not given. */
export interface ConnectionOptions {
  /** Address of the server. If there are several, the next one is tried when one is unreachable. */
  readonly url: string | readonly string[];
  /** Default none: the server authenticates by something else, such as a cookie. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** Whether `fetch` sends cookies; `"include"` for a server of another origin. Default: that of `fetch`, only to the page's own origin. */
  readonly credentials?: "omit" | "same-origin" | "include" | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Called when the server rejects the token or cookie. Returns another token, true if the cookie was renewed, or nothing. */
  readonly onUnauthorized?: (() => Renewed | Promise<Renewed>) | undefined;
  readonly retry?: RetryOptions | undefined;
  /** A stream without even a heartbeat for this long is replaced. Default 45,000: a server sends one every 15 s. */
  readonly silenceMs?: number | undefined;
}

type Renewed = string | true | undefined;

export interface RequestOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export type Method = "GET" | "POST" | "DELETE";

export class Connection {
  readonly #urls: readonly string[];
  readonly #options: ConnectionOptions;
  readonly #closing = new AbortController();
  #token: string | undefined;
  #urlIndex = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#urls = [options.url].flat().map(toBase);
    if (this.#urls.length === 0) throw invalidOptions("Pass a url, or a list of them");
  }

  /** Fires when the client is closed. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  close(): void {
    this.#closing.abort();
  }

  /** Sends one request to one server. Fails with `unreachable`, `closed`, `aborted`, or with the server's error. */
  async request(method: Method, path: string, options: RequestOptions = {}): Promise<Response> {
    const response = await this.#fetch(method, path, options);
    if (response.status !== 401) return await okOrThrow(response);
    const renewed = await this.#options.onUnauthorized?.();
    if (renewed === undefined) return await okOrThrow(response);
    if (renewed !== true) this.#token = renewed;
    await response.body?.cancel();
    return await okOrThrow(await this.#fetch(method, path, options));
  }

  /** Like `request`, but retries until there is a response. For idempotent requests only. */
  async insist(method: Method, path: string, options: RequestOptions = {}): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.request(method, path, options);
      } catch (thrown) {
        const failure = toClientError(thrown);
        if (!failure.isPassing || attempt >= this.maxAttempts) throw failure;
        await this.rest(attempt, failure, options.signal);
      }
    }
  }

  get silenceMs(): number {
    return this.#options.silenceMs ?? 45_000;
  }

  /** Maximum number of failed attempts in a row. */
  get maxAttempts(): number {
    return this.#options.retry?.maxAttempts ?? 30;
  }

  /** Waits before the next attempt. */
  async rest(attempt: number, failure: ClientError, signal?: AbortSignal): Promise<void> {
    const ms = delayBefore(attempt, this.#options.retry ?? {});
    await pause(Math.max(ms, failure.retryAfterMs), this.#signal(signal));
  }

  /** Sends the next request to the next server, if there are several. */
  moveOn(): void {
    this.#urlIndex = (this.#urlIndex + 1) % this.#urls.length;
  }

  async #fetch(
    method: Method,
    path: string,
    { body, headers, signal }: RequestOptions,
  ): Promise<Response> {
    const { token, credentials, fetch = globalThis.fetch } = this.#options;
    this.#token ??= typeof token === "function" ? await token() : token;
    this.mustBeOpen(signal);
    const urlIndex = this.#urlIndex;
    const url = `${this.#urls[urlIndex]}${path}`;
    try {
      return await fetch(url, {
        method,
        signal: this.#signal(signal),
        ...(credentials && { credentials }),
        headers: {
          ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch (cause) {
      this.mustBeOpen(signal);
      // Another request may have moved on already.
      if (this.#urlIndex === urlIndex) this.moveOn();
      throw unreachable(url, cause);
    }
  }

  /** Throws `closed` or `aborted`. */
  mustBeOpen(signal: AbortSignal | undefined): void {
    if (this.closed.aborted) throw clientClosed();
    if (signal?.aborted === true) {
      const cause: unknown = signal.reason;
      throw new ClientError("aborted", "The request was aborted by its signal", { cause });
    }
  }

  #signal(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.closed : AbortSignal.any([signal, this.closed]);
  }
}

function clientClosed(): ClientError {
  return new ClientError("closed", "The client was closed. Turns continue on the server");
}

export function invalidOptions(message: string, cause?: unknown): ClientError {
  return new ClientError("invalid_options", message, { cause });
}

export function unreachable(what: string, cause: unknown): ClientError {
  const message = `${what} is unreachable: check the URL, the network, and that the server is running and allows this origin`;
  return new ClientError("unreachable", message, { cause });
}

export function toClientError(thrown: unknown): ClientError {
  if (thrown instanceof ClientError) return thrown;
  // The body was cut while it was read.
  return unreachable("The server", thrown);
}

/** JSON of a response. */
export async function jsonOf<Body>(response: Response): Promise<Body> {
  const text = await response.text();
  try {
    // Servers of this family say nothing else here.
    return JSON.parse(text) as Body;
  } catch (cause) {
    throw notOurs(response, cause);
  }
}

export function notOurs({ status, url }: Response, cause?: unknown): ClientError {
  const message = `${url} answered ${status}, but not as a Capstan server does: check the URL and any proxy`;
  return new ClientError("protocol", message, { cause });
}

async function okOrThrow(response: Response): Promise<Response> {
  if (response.ok) return response;
  const { status } = response;
  const retryAfterMs = (Number(response.headers.get("retry-after")) || 0) * 1_000;
  // A body that breaks off is no explanation: the status says enough.
  const { code, message, issues } = errorIn(await response.text().catch(() => ""), response);
  const shown = issues?.map((issue) => `; ${issue.path}: ${issue.message}`).join("") ?? "";
  throw new ClientError(code, message + shown, { status, issues, retryAfterMs });
}

function errorIn(text: string, response: Response): ErrorReply["error"] {
  try {
    const { error } = JSON.parse(text) as ErrorReply;
    if (typeof error.code === "string") return error;
  } catch {
    // A proxy in front of the server responded instead.
  }
  return notOurs(response);
}

function toBase(url: string): string {
  try {
    return new URL(
      url,
      (globalThis as { readonly location?: { readonly href: string } }).location?.href,
    ).href.replace(/\/+$/, "");
  } catch {
    throw invalidOptions(`Invalid URL: "${url}"`);
  }
}

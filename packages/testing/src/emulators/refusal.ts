/** What an emulated service answers to a request that it does not take. It never leaves the emulator as an error. */
import type { JsonObject } from "./json.ts";

export interface RefusalOptions {
  /** Default 400. */
  readonly status?: number;
  /** The vendor's name of the kind of error. Default `invalid_request_error`. */
  readonly type?: string;
  /** The vendor's name of this very error, where it has one. */
  readonly code?: string | null;
  /** The parameter that is wrong, where the vendor names it apart from the message. */
  readonly param?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** What else the vendor says of it, in its own form. */
  readonly details?: readonly JsonObject[];
}

export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  readonly param: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly details: readonly JsonObject[];

  constructor(message: string, options: RefusalOptions = {}) {
    super(message);
    this.status = options.status ?? 400;
    this.type = options.type ?? "invalid_request_error";
    this.code = options.code ?? null;
    this.param = options.param ?? null;
    this.headers = options.headers ?? {};
    this.details = options.details ?? [];
  }
}

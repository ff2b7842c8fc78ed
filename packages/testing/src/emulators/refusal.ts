/** Answer of an emulated service to a request that it refuses. It never leaves the emulator as an error. */
import type { JsonObject } from "./json.ts";

export interface RefusalOptions {
  /** Default 400. */
  readonly status?: number;
  /** The vendor's kind of error. Default `invalid_request_error`. */
  readonly type?: string;
  /** The vendor's code of this error, if any. */
  readonly code?: string | null;
  /** Invalid parameter, if the vendor names it separately. */
  readonly param?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further details in the vendor's form. */
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

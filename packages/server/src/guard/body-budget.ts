/** Limits the bytes of request bodies in memory: per principal, and in total. */
import { ServerError } from "./server-error.ts";

export interface BodyBudgetLimits {
  readonly maxBodyBytesPerPrincipal: number;
  readonly maxBodyBytesInAll: number;
}

/** Bytes of one body. They count until `giveBack` is called. */
export interface BodyShare {
  /** Fails with `too_many_bytes` or `busy`; the bytes are not counted then. */
  take(bytes: number): void;
  giveBack(): void;
}

export class BodyBudget {
  readonly #limits: BodyBudgetLimits;
  readonly #taken = new Map<string, number>();
  #inAll = 0;

  constructor(limits: BodyBudgetLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#inAll;
  }

  share(principal: string): BodyShare {
    let mine = 0;
    return {
      take: (bytes) => {
        this.#take(principal, bytes);
        mine += bytes;
      },
      giveBack: () => {
        this.#giveBack(principal, mine);
        mine = 0;
      },
    };
  }

  #take(principal: string, bytes: number): void {
    const { maxBodyBytesPerPrincipal, maxBodyBytesInAll } = this.#limits;
    const taken = (this.#taken.get(principal) ?? 0) + bytes;
    if (taken > maxBodyBytesPerPrincipal) throw tooManyBytes("too_many_bytes");
    if (this.#inAll + bytes > maxBodyBytesInAll) throw tooManyBytes("busy");
    this.#taken.set(principal, taken);
    this.#inAll += bytes;
  }

  #giveBack(principal: string, bytes: number): void {
    const left = (this.#taken.get(principal) ?? 0) - bytes;
    if (left > 0) this.#taken.set(principal, left);
    else this.#taken.delete(principal);
    this.#inAll -= bytes;
  }
}

const messages = {
  too_many_bytes: "Too many bytes in your pending requests: retry when others have finished",
  busy: "Too many bytes in pending requests: retry later",
} as const;

function tooManyBytes(code: keyof typeof messages): ServerError {
  return new ServerError(code, messages[code], { headers: { "retry-after": "1" } });
}

/** Parts that the commands that listen for clients share: the token, the names, and the end. */
import { randomBytes } from "node:crypto";
import { hostname, networkInterfaces } from "node:os";
import { wrongUse } from "../errors/command-error.ts";
import type { Io } from "../process/io.ts";

const minTokenChars = 16;

/** The token of clients: that of `CAPSTAN_TOKEN`, or a new one. Throws a `CommandError`. */
export function tokenOf({ env }: Io): { readonly token: string; readonly isNew: boolean } {
  const { CAPSTAN_TOKEN: given } = env;
  if (given === undefined || given === "") {
    return { token: randomBytes(32).toString("base64url"), isNew: true };
  }
  if (given.length >= minTokenChars && /^[\w.~+/=-]+$/.test(given)) {
    return { token: given, isNew: false };
  }
  throw wrongUse(
    `Invalid CAPSTAN_TOKEN: it needs at least ${minTokenChars} characters, only letters, digits and ". ~ + / = - _". If it is not set, a token is generated.`,
  );
}

/** Host names under which clients may reach the server. */
export function namesOf(host: string): readonly string[] {
  const own = ["localhost", "127.0.0.1", "[::1]", toName(host)];
  if (host !== "0.0.0.0" && host !== "::") return own;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return [...own, hostname(), ...addresses.map(({ address }) => toName(address))];
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

export function toName(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

/** Resolves once the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

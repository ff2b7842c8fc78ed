/**
 * The state that a client sends back with its answers. It names a session, a turn and calls, and has a check value that only the log can
 * produce: any process of the host verifies it, and none keeps anything.
 */
import type { Session } from "@capstan/core";
import type { JsonValue } from "@capstan/kernel";
import { hashJson } from "@capstan/kernel";
import { invalidState } from "./serving-error.ts";

export interface RequestState {
  readonly sessionId: string;
  /** Input whose turn asked. */
  readonly turnId: string;
  /** Ids of the calls that were asked about. */
  readonly calls: readonly string[];
}

const maxChars = 20_000;

export function encodeState(state: RequestState, session: Session): string {
  const { sessionId, turnId, calls } = state;
  const text = JSON.stringify([sessionId, turnId, calls]);
  return `${Buffer.from(text).toString("base64url")}.${checkOf(state, session)}`;
}

/** Reads the state before its session is known. Throws `invalid_params`. */
export function decodeState(given: unknown): { state: RequestState; check: string } {
  if (typeof given !== "string" || given.length > maxChars) throw invalidState();
  const [encoded = "", check = "", ...rest] = given.split(".");
  const [sessionId, turnId, calls] = parse(encoded);
  const isWhole =
    rest.length === 0 &&
    typeof sessionId === "string" &&
    typeof turnId === "string" &&
    Array.isArray(calls) &&
    calls.every((call) => typeof call === "string");
  if (!isWhole) throw invalidState();
  return { state: { sessionId, turnId, calls }, check };
}

/** Throws `invalid_params` if the state was not made for this session. */
export function verifyState(state: RequestState, check: string, session: Session): void {
  if (check !== checkOf(state, session)) throw invalidState();
}

/** The incarnation is random and never leaves the host on this way, so that clients cannot compute the value. */
function checkOf({ sessionId, turnId, calls }: RequestState, session: Session): string {
  const { incarnation = "", principal = "", agent } = session;
  const bound: JsonValue = ["mcp", incarnation, principal, agent, sessionId, turnId, [...calls]];
  return hashJson(bound);
}

function parse(encoded: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, "base64url").toString());
    return Array.isArray(value) ? value : [];
  } catch {
    // No state of ours: the caller refuses it.
    return [];
  }
}

/** Takes requests in order of arrival, records them, and answers each with the next item of the script. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { JsonValue } from "@capstan/kernel";
import type { ScriptItem } from "../script/script-item.ts";
import { assertScriptUsed, beyondTheEnd } from "../script/script-progress.ts";
import { answerWith } from "./answer.ts";
import type { EmulatedRequest, WireRequest } from "./emulated-request.ts";
import type { Emulation, WireHeaders } from "./emulation.ts";
import { HttpAnswer, headersOf, readBody } from "./http-exchange.ts";
import { isObject } from "./json.ts";
import { Refusal } from "./refusal.ts";

/** A request that the service would have refused too. It used no item of the script. */
export interface RefusedRequest {
  readonly headers: WireHeaders;
  /** Undefined if it was not JSON. */
  readonly body: JsonValue | undefined;
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  readonly message: string;
}

interface Arrival {
  readonly url: URL;
  readonly headers: WireHeaders;
  readonly answer: HttpAnswer;
  readonly requestId: string;
  body?: JsonValue;
}

export class Desk {
  readonly requests: WireRequest[] = [];
  readonly refusals: RefusedRequest[] = [];
  openAnswers = 0;
  readonly #emulation: Emulation;
  readonly #script: readonly ScriptItem[];
  #arrived = 0;
  #calls = 0;

  constructor(emulation: Emulation, script: readonly ScriptItem[]) {
    this.#emulation = emulation;
    this.#script = script;
  }

  assertComplete(): void {
    assertScriptUsed(this.#emulation.name, this.#script, this.#calls);
  }

  async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#arrived += 1;
    const requestId = `req_${String(this.#arrived).padStart(8, "0")}`;
    const answer = new HttpAnswer(response, this.#emulation.responseHeaders(requestId));
    const url = new URL(`http://emulator${incoming.url ?? "/"}`);
    const arrival: Arrival = { url, headers: headersOf(incoming), answer, requestId };
    this.openAnswers += 1;
    try {
      await this.#take(incoming, arrival);
    } catch (error) {
      // A client that leaves before its request is complete gets no answer.
      if (answer.left.aborted) return;
      this.#refuse(arrival, error instanceof Refusal ? error : faultOfOurs(error));
    } finally {
      this.openAnswers -= 1;
    }
  }

  async #take(incoming: IncomingMessage, arrival: Arrival): Promise<void> {
    const text = await readBody(incoming, this.#emulation.maxBodyBytes);
    const { url, headers, answer } = arrival;
    const body = this.#read(incoming, arrival, text);
    arrival.body = body;
    if (!isObject(body)) throw this.#emulation.wrong.json("the body is not an object");
    const accepted = this.#emulation.accept(body, headers, url);

    this.#calls += 1;
    const call = this.#calls;
    const item = this.#script[call - 1];
    // Not a server error, which clients would retry.
    if (item === undefined) throw new Refusal(`emulator: ${beyondTheEnd(call, this.#script)}`);
    const wire: WireRequest = { headers, body, usage: accepted.usage };
    this.requests.push(wire);
    const request: EmulatedRequest = {
      ...accepted.view,
      wire,
      signal: answer.left,
      conversationId: "emulated",
      turnId: "emulated",
      step: call,
      attempt: 1,
    };
    const sendError = (refusal: Refusal): void => this.#sendError(arrival, refusal);
    await answerWith(item, { emulation: this.#emulation, accepted, request, answer, sendError });
  }

  /** Checks in the services' order: path, authentication, size, JSON. */
  #read(incoming: IncomingMessage, arrival: Arrival, text: string | undefined): JsonValue {
    const { wrong, path } = this.#emulation;
    const { method = "GET" } = incoming;
    const { url, headers } = arrival;
    const asked = url.pathname;
    const isThere = typeof path === "string" ? asked === path : path.test(asked);
    if (!isThere) throw wrong.path(method, asked);
    if (method !== "POST") throw wrong.method(method, asked);
    this.#emulation.authorize(headers, url);
    if (text === undefined) throw wrong.tooLarge();
    try {
      return JSON.parse(text) as JsonValue;
    } catch (error) {
      throw wrong.json(String(error));
    }
  }

  #refuse(arrival: Arrival, refusal: Refusal): void {
    const { status, type, code, message } = refusal;
    const { headers, body } = arrival;
    this.refusals.push({ headers, body, status, type, code, message });
    this.#sendError(arrival, refusal);
  }

  #sendError({ answer, requestId, url }: Arrival, refusal: Refusal): void {
    const body = this.#emulation.errorBody(refusal, requestId, url);
    answer.send(refusal.status, body, refusal.headers);
  }
}

function faultOfOurs(error: unknown): Refusal {
  return new Refusal(`emulator: ${String(error)}`, { status: 500, type: "api_error" });
}

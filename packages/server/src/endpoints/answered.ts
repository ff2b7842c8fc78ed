/** Responses of endpoints, as `/openapi.json` describes them. */

export interface Answered {
  readonly description: string;
  /** Media type of the body. Undefined if there is none. */
  readonly type?: string;
}

export function json(description: string): Answered {
  return { description, type: "application/json" };
}

export function empty(description: string): Answered {
  return { description };
}

export const eventStream: Answered = { description: "events", type: "text/event-stream" };

/** Public form of a turn's errors: a code, and a message that is the same for every client. */
import type { ChatMessage, SerializedError } from "@capstan/kernel";
import type { SessionEvent, StoredEntry } from "@capstan/log";

/** By error code. Other codes may come from any program that failed. */
const messages: Readonly<Record<string, string>> = {
  auth: "The model's provider rejected this server's credentials",
  rate_limit: "The model's provider limits the request rate: retry later",
  overloaded: "The model's provider is overloaded: retry later",
  context_overflow: "The conversation is too long for the model",
  invalid_request: "The model's provider rejected the request",
  content_filter: "The model's provider rejected the content",
  network: "The model's provider was unreachable or timed out",
  protocol: "The model's provider sent an invalid reply",
  invalid_input: "The turn cannot start with this input",
  callback_failed: "A callback of this agent failed",
  journal_failed: "The turn could not be stored",
  invalid_output: "The model's answer does not match the agent's output schema",
  cannot_continue: "There is nothing to continue",
  interrupted: "The process ended during this attempt",
  unavailable: "The store failed",
  engine_failed: "The turn could not continue",
  resume_limit: "The turn was resumed too often without progress",
  set_aside: "This session is set aside until its operator releases it",
  host_closed: "This server is shutting down",
  not_found: "Unknown session",
  invalid_app_context: "This session does not fit this version of its agent",
  budget_exceeded: "The turn has exceeded its budget",
};

/** Codes whose message the agent's guard wrote for the user. */
const toldAsIs: ReadonlySet<string> = new Set(["input_rejected", "output_rejected"]);

const internal = {
  name: "Error",
  code: "internal",
  message: "Internal server error",
} as const;

/** The log keeps everything. With details, clients see it unchanged. */
export class PublicView {
  readonly #hasDetails: boolean;

  constructor(hasDetails: boolean) {
    this.#hasDetails = hasDetails;
  }

  error(error: SerializedError): SerializedError {
    if (this.#hasDetails) return error;
    const { name, code, rejected } = error;
    if (code !== undefined && toldAsIs.has(code)) return error;
    if (code === undefined || !Object.hasOwn(messages, code)) return internal;
    const message = messages[code] ?? internal.message;
    return { name, code, message, ...(rejected && { rejected }) };
  }

  /** Returns the same event, unless it has an error. */
  readonly event = (event: SessionEvent): SessionEvent => {
    switch (event.type) {
      case "error":
      case "attempt_discarded":
        return { ...event, error: this.error(event.error) };
      case "turn_end":
      case "compaction_failed":
        return event.error === undefined ? event : { ...event, error: this.error(event.error) };
      case "message_end": {
        const message = this.message(event.message);
        return message === event.message ? event : { ...event, message };
      }
      default:
        return event;
    }
  };

  message(message: ChatMessage): ChatMessage {
    if (message.role !== "assistant" || message.error === undefined) return message;
    return { ...message, error: this.error(message.error) };
  }

  entry(entry: StoredEntry): StoredEntry {
    if (this.#hasDetails) return entry;
    // No client sees a reply that a guard rejected.
    const { rejected: _, ...shown } = entry;
    return this.#withPublicErrors(entry["rejected"] === undefined ? entry : shown);
  }

  #withPublicErrors(entry: StoredEntry): StoredEntry {
    const { error, message, messages: loaded } = entry;
    if (isObject(error)) return { ...entry, error: this.#stored(error) };
    if (isObject(message) && isObject(message["error"])) {
      return { ...entry, message: { ...message, error: this.#stored(message["error"]) } };
    }
    if (!Array.isArray(loaded)) return entry;
    return { ...entry, messages: loaded.map((each: unknown) => this.#storedMessage(each)) };
  }

  #storedMessage(message: unknown): unknown {
    if (!isObject(message) || !isObject(message["error"])) return message;
    return { ...message, error: this.#stored(message["error"]) };
  }

  /** The error as stored: its shape was checked when it was written. */
  #stored(error: Readonly<Record<string, unknown>>): SerializedError {
    return this.error(error as unknown as SerializedError);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

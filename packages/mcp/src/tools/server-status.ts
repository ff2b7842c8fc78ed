/** State of a server, for user interfaces. A file of its own: its declarations need no types of the SDK. */
import type { McpError } from "../errors/mcp-error.ts";

/** State of the connection to one server. */
export interface McpServerStatus {
  readonly name: string;
  /** `idle`: not needed yet, or gone; it is started again when it is needed. `failed`: it is tried again later. */
  readonly state: "idle" | "starting" | "ready" | "failed";
  /** Tools that it listed last. */
  readonly tools: number;
  /** Version of the protocol that is spoken, if it is connected. */
  readonly protocolVersion?: string;
  /** Id of its process, if it runs as one. */
  readonly pid?: number;
  readonly error?: McpError;
}

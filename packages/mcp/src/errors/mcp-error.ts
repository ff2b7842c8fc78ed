/** Errors about MCP servers. Most are reported, not thrown: one server that fails must not stop the others. */
import { CapstanError } from "@capstan/core";

/** Codes of an `McpError`. */
export type McpErrorCode =
  /** An option is unknown, of the wrong type or out of range. */
  | "invalid_option"
  /** The server cannot be started or reached, or did not answer in time. */
  | "unavailable"
  /** The connection ended while a request was under way: whether it took effect is unknown. */
  | "connection_lost"
  /** The server did not list its tools. */
  | "list_failed"
  /** A tool is left out, because its declaration cannot be used. */
  | "invalid_tool"
  /** The server wants a login, or has refused the one there was. */
  | "login_required"
  /** The server wants a scope that the login does not have. */
  | "insufficient_scope"
  /** A login did not succeed. */
  | "login_failed"
  /** The stored logins cannot be read or written. */
  | "token_store";

/** Failure of an MCP server or of its configuration, with the server's name. */
export class McpError extends CapstanError<McpErrorCode> {
  override readonly name = "McpError";
  /** Name of the server in the configuration; empty if the error is about none. */
  readonly server: string;

  constructor(code: McpErrorCode, server: string, message: string, options: ErrorOptions = {}) {
    super(code, message, options);
    this.server = server;
  }
}

/** A source of tools that are only known at run time, such as a server that lists them. */
import type { Logger } from "@capstan/kernel";
import type { AnyTool } from "./tool.ts";

/** The turn that a source is asked for. */
export interface ToolSourceRequest {
  readonly agent: string;
  readonly sessionId: string;
  readonly turnId: string;
  /**
   * Names of tools that unfinished calls of the turn need. A source that cannot offer one of its tools at the moment may return a
   * substitute that reports this, or waits. The call of a tool that no source has gets an error result.
   */
  readonly needed: readonly string[];
  readonly logger: Logger | undefined;
  /** Resolves with the context window of the turn's model; undefined if it is unknown. Never rejects. Resolves the model: ask only if it matters. */
  contextWindow(): Promise<number | undefined>;
}

/** Tools that are looked up for each turn, such as those of MCP servers. */
export interface ToolSource {
  /** Name for errors and logs. */
  readonly name: string;
  /**
   * Returns the tools of one turn, in a stable order, because a change invalidates the provider's prompt cache. Returns the same list if
   * nothing has changed. If it throws, or takes longer than `deadlines.callbackMs`, the turn fails.
   */
  tools(request: ToolSourceRequest): readonly AnyTool[] | Promise<readonly AnyTool[]>;
}

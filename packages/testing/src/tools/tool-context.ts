/** Context for a test that calls `execute` of a tool directly. */
import type { ToolExecuteContext } from "@capstan/kernel";

/**
 * Creates the context of a tool call, for tests of a tool alone. By default the first call of a turn that nothing
 * aborts; progress and usage go nowhere.
 */
export function toolContext(fields: Partial<ToolExecuteContext> = {}): ToolExecuteContext {
  return {
    toolCallId: "call-1",
    conversationId: "conversation-1",
    turnId: "turn-1",
    step: 1,
    signal: new AbortController().signal,
    cwd: undefined,
    idempotencyKey: "key-1",
    logger: undefined,
    update() {},
    usage() {},
    ...fields,
  };
}

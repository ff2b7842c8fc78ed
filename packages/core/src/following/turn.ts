/** Handle of a turn of an agent: the kernel's, with the types of the agent, and the answer as it is written. */
import type { Turn as AnyTurn, TurnResponse as AnyResponse } from "@capstan/kernel";
import type { Agent, TypesOf } from "../agent/agent.ts";
import type { AgentTypes } from "../agent/agent-types.ts";

/** An event of a turn: `TurnEvent<typeof agent>` knows the tools of the agent. */
export type TurnEvent<Subject extends Agent = Agent> = TypesOf<Subject>["event"];

/** Result of a turn, with the pending calls and the output typed by the agent. */
export interface TurnResponse<out Known extends AgentTypes = AgentTypes> extends AnyResponse<
  Known["output"]
> {
  readonly pendingToolCalls?: readonly Known["pendingCall"][];
}

/** Iterating it, once, yields the events; leaving the loop early does not stop the turn. */
export interface Turn<out Known extends AgentTypes = AgentTypes> extends AnyTurn<
  Known["output"],
  Known["event"]
> {
  /** Always resolves, even if the turn failed. */
  readonly response: Promise<TurnResponse<Known>>;
  result(): Promise<TurnResponse<Known>>;
  /**
   * The typed answer while the model writes it: `for await (const partial of turn.partialOutput)`. The values are not validated, and end with
   * the turn; a repaired answer begins again. Any number of readers; a slow one skips values. Empty if the agent has no `output`.
   */
  readonly partialOutput: AsyncIterable<Known["partialOutput"]>;
}

/** Types of floor.mjs, which is taken over as it is. */
import type { Agent, AgentOptions } from "./subject.ts";
import type { NeutralMessage } from "./script.mjs";

export function createAgent(options: AgentOptions): Promise<Agent<NeutralMessage[]>>;

/** Types of floor.mjs, which is taken over as it is. */
import type { Agent, AgentOptions, Subject } from "./subject.ts";
import type { NeutralMessage } from "./script.mjs";

export function createAgent(options: AgentOptions): Promise<Agent<NeutralMessage[]>>;

/** `fetch`, a split into lines, `JSON.parse`. */
export const wire: Required<NonNullable<Subject["wire"]>>;

/** Options of a host. */
import type { SessionRepository } from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import { invalid, mustBeOptions } from "../errors/session-error.ts";
import { withAllAgents } from "../tools/other-agents.ts";
import type { Clock } from "../platform/clock.ts";
import { problemOfNumbers } from "../platform/option-numbers.ts";
import type { OnFault } from "./host-fault.ts";

/** Extent of what is read of a session that is opened: all of its log, or what its next turn needs. */
export type SessionReads = "all" | "context";

/** Options of `createHost`. Hosts of several processes share one repository. */
export interface HostOptions<Agents extends readonly Agent[] = readonly Agent[]> {
  readonly agents: Agents;
  readonly repository: SessionRepository;
  readonly clock?: Clock;
  /** How long the session of a dead owner stays locked. Default 10,000. */
  readonly leaseMs?: number;
  /**
   * How often to look for due sessions, and for news of sessions that are read here and run elsewhere. Default 1,000. `Infinity` disables
   * polling: the host then depends on wake-ups alone, which may get lost.
   */
  readonly pollMs?: number;
  /**
   * Maximum number of concurrent turns of sessions that this host claimed by itself; sessions that are sent to or opened here do not count.
   * Default 1,000. As soon as one ends, the next due session is claimed.
   */
  readonly maxTurns?: number;
  /**
   * How often a turn is resumed, by any host, without a message or a result in between, before it ends with `resume_limit`. Default 8. The
   * third resume waits for a second, each later one twice as long, up to a minute.
   */
  readonly maxResumes?: number;
  /**
   * Extent of what is read when a session is opened or claimed here. `all`, the default: the whole log. `context`: what its next turn needs, from the last
   * checkpoint on, for processes that open a session for one turn. Then `session.messages`, `state.messages` and the messages that tools get
   * begin after the summary, at the latest with the reply before it; `session.readMessages` reads all. Everything else is the same.
   */
  readonly reads?: SessionReads;
  /**
   * Number of entries after which a session whose context was compacted or cleared records a checkpoint, with the start of its next turn.
   * Default 256. `Infinity`: never.
   */
  readonly checkpointAfter?: number;
  /** Name of this process in leases. Default: random. */
  readonly owner?: string;
  readonly newId?: () => string;
  /**
   * Receives failures that reach no caller: of the runtime and the store, of listeners that throw, of turns whose error no caller looked
   * at. Default: the agent's logger, or one warning on the console per cause.
   */
  readonly onError?: OnFault;
}

/** Throws `invalid_input` if an option makes no sense. JavaScript has no other check. */
export function checkHostOptions(options: HostOptions): void {
  mustBeOptions(options, "createHost");
  const { agents, repository }: Partial<HostOptions> = options;
  if (!Array.isArray(agents)) throw invalid("The host's agents must be a list");
  for (const [index, agent] of (agents as readonly unknown[]).entries()) {
    if (!isAgent(agent)) {
      throw invalid(`The host's agents[${index}] is no agent: make agents with createAgent`);
    }
  }
  const used = withAllAgents(agents as readonly Agent[]);
  const clash = used.find(
    ({ name }, index) => used.findIndex((one) => one.name === name) !== index,
  );
  if (clash !== undefined) {
    throw invalid(`The host has two agents with the name "${clash.name}": rename one`);
  }
  if (typeof repository?.append !== "function") {
    throw invalid(
      "The host's repository must be a store, such as sqlite(path) or memoryRepository()",
    );
  }
  if (![undefined, "all", "context"].includes(options.reads)) {
    throw invalid('The host\'s reads must be "all" or "context"');
  }
  const problem = problemOfNumbers(options, {
    leaseMs: "above 0",
    pollMs: "above 0",
    checkpointAfter: "above 0",
  });
  if (problem !== undefined) throw invalid(`The host's ${problem}`);
}

function isAgent(given: unknown): given is Agent {
  const { name, plan } = (given ?? {}) as { readonly [field: string]: unknown };
  return typeof name === "string" && typeof plan === "function";
}

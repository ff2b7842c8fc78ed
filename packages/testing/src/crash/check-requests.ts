/** Every request is what the log says of its turn: the same in every process that runs it. */
import type { Entry, SessionConfig } from "@capstan/log";
import { SessionFold } from "@capstan/log";
import { toModelMessages } from "@capstan/kernel";
import { isDeepStrictEqual } from "node:util";
import type { SeenRequest } from "./requests.ts";
import type { CrashOverrides, CrashScenario } from "./scenario.ts";
import type { WatchedSession } from "./watched-session.ts";
import type { World } from "./world.ts";

/** What a request must be. */
type Asked = Partial<
  Omit<SeenRequest, "sessionId" | "ages" | "turnId" | "step" | "attempt" | "isSummary">
>;

interface Expected {
  readonly asked: Asked;
  /** As it was recorded. */
  readonly toolsHash: string | undefined;
}

export function checkRequests(world: World, session: WatchedSession): void {
  const expected = expectedRequests(world.scenario, session);
  const recorded = new Map<string, string>();
  for (const request of world.requests) {
    if (request.sessionId !== session.id || request.isSummary) continue;
    if ((request.ages[0] ?? 1) !== session.age) continue;
    const found = expected.get(placeOf(request));
    if (found === undefined) {
      session.violate("requests", `${placeOf(request)}: the log has no such attempt`);
    } else {
      checkFields(session, request, found.asked);
      checkTools(session, request, recorded, found.toolsHash ?? "none");
    }
  }
}

function checkFields(session: WatchedSession, request: SeenRequest, asked: Asked): void {
  for (const [field, value] of Object.entries(asked)) {
    const found = request[field as keyof Asked];
    if (isDeepStrictEqual(found, value)) continue;
    const text = `${field} is ${JSON.stringify(found)} and not ${JSON.stringify(value)}`;
    session.violate("requests", `${placeOf(request)}: ${text}`);
  }
}

/** What was recorded of tools stands for the same ones every time. */
function checkTools(
  session: WatchedSession,
  request: SeenRequest,
  recorded: Map<string, string>,
  toolsHash: string,
): void {
  const tools = request.tools.join(", ");
  const known = recorded.get(toolsHash);
  if (known === undefined) recorded.set(toolsHash, tools);
  if (known === undefined || known === tools) return;
  const text = `the tools are ${tools}, and what is recorded of them stands for ${known}`;
  session.violate("requests", `${placeOf(request)}: ${text}`);
}

/** By turn, step and attempt. */
function expectedRequests(
  scenario: CrashScenario,
  session: WatchedSession,
): ReadonlyMap<string, Expected> {
  const expected = new Map<string, Expected>();
  const fold = new SessionFold();
  let config: SessionConfig = {};
  let atStart: SessionConfig = {};
  for (const entry of session.entries) {
    if (entry.type === "turn_started") atStart = config;
    if (entry.type === "attempt") {
      const place = placeOf(entry);
      if (expected.has(place)) session.violate("log", `${place} is there twice`);
      const overrides = overridesOf(scenario, session, entry.turnId);
      const asked = toAsked(fold, atStart, overrides);
      expected.set(place, { asked, toolsHash: fold.prompt?.toolsHash });
    }
    config = { ...config, ...configOf(entry) };
    fold.apply(entry);
  }
  return expected;
}

/** The messages up to there, what the turn was started with, and the prompt as it was recorded last. */
function toAsked(
  { transcript, context: { summary }, prompt }: SessionFold,
  config: SessionConfig,
  overrides: CrashOverrides,
): Asked {
  const { thinkingLevel = config.thinkingLevel, temperature, maxTokens } = overrides;
  const tools = config.tools?.map((tool) => (typeof tool === "string" ? tool : tool.name));
  const from = summary === undefined ? 0 : transcript.indexAfter(summary.through);
  const ids = toModelMessages(transcript.messages.slice(from)).map(({ id }) => id);
  return {
    ids: summary === undefined ? ids : [summary.id, ...ids],
    instructions: config.instructions ?? prompt?.instructions,
    // Whoever has a tool can read what it gave.
    ...(tools && { tools: tools.length === 0 ? tools : [...tools, "read_output"] }),
    model: overrides.model === undefined ? undefined : "other",
    thinkingLevel,
    temperature,
    maxTokens,
  };
}

/** What the client sent with the first turn of a chain. */
function overridesOf(
  { actions }: CrashScenario,
  session: WatchedSession,
  turnId: string,
): CrashOverrides {
  const rootId = session.rootOf(turnId);
  for (const action of actions) {
    const isInput = action.do === "send" || action.do === "continue";
    if (isInput && action.id === rootId && (action.age ?? 1) === session.age)
      return action.options ?? {};
  }
  return {};
}

function configOf(entry: Entry): SessionConfig {
  return entry.type === "config" || entry.type === "created" ? (entry.config ?? {}) : {};
}

function placeOf({
  turnId,
  step,
  attempt,
}: Pick<SeenRequest, "turnId" | "step" | "attempt">): string {
  return `turn ${turnId}, step ${step}, attempt ${attempt}`;
}

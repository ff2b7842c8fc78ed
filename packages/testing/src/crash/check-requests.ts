/** Checks that every request matches the log of its turn, in every process that runs it. */
import type { Entry, SessionConfig } from "@capstan/log";
import { SessionFold } from "@capstan/log";
import { toModelMessages } from "@capstan/kernel";
import { isDeepStrictEqual } from "node:util";
import { imagesIn, nameOfPart } from "./requests.ts";
import type { SeenRequest } from "./requests.ts";
import type { CrashOverrides, CrashScenario } from "./scenario.ts";
import type { WatchedSession } from "./watched-session.ts";
import type { World } from "./world.ts";

/** Expected fields of a request. */
type Asked = Partial<
  Omit<SeenRequest, "sessionId" | "ages" | "turnId" | "step" | "attempt" | "isSummary">
>;

interface Expected {
  readonly asked: Asked;
  /** As recorded. */
  readonly toolsHash: string | undefined;
}

export function checkRequests(world: World, session: WatchedSession): void {
  const expected = expectedRequests(world.scenario, session);
  const recorded = new Map<string, string>();
  for (const request of world.requests) {
    if (request.sessionId !== session.id || request.isSummary) continue;
    if ((request.ages[0] ?? 1) !== session.age) continue;
    const found = expected.get(keyOf(request));
    if (found === undefined) {
      session.violate("requests", `${keyOf(request)}: the log has no such attempt`);
    } else {
      checkFields(session, request, found.asked);
      // Its own tools were compared above.
      if (found.asked.tools === undefined)
        checkTools(session, request, recorded, found.toolsHash ?? "none");
    }
  }
}

function checkFields(session: WatchedSession, request: SeenRequest, asked: Asked): void {
  for (const [field, value] of Object.entries(asked)) {
    const found = request[field as keyof Asked];
    if (isDeepStrictEqual(found, value)) continue;
    const text = `${field} is ${JSON.stringify(found)}, not ${JSON.stringify(value)}`;
    session.violate("requests", `${keyOf(request)}: ${text}`);
  }
}

/** A recorded tools hash always stands for the same tools. */
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
  const text = `the tools are ${tools}, but their recorded hash stands for ${known}`;
  session.violate("requests", `${keyOf(request)}: ${text}`);
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
      const key = keyOf(entry);
      if (expected.has(key)) session.violate("log", `${key} occurs twice`);
      const overrides = overridesOf(scenario, session, entry.turnId);
      const asked = toAsked(fold, atStart, { ...overrides, ...choiceFor(fold, entry.step) });
      expected.set(key, { asked, toolsHash: fold.prompt?.toolsHash });
    }
    config = { ...config, ...configOf(entry) };
    fold.apply(entry);
  }
  return expected;
}

/** Expects the messages so far, the turn's settings, and the last recorded prompt. */
function toAsked(
  { transcript, context: { summary, withheld, quarantined }, prompt }: SessionFold,
  config: SessionConfig,
  overrides: StepOverrides,
): Asked {
  const { thinkingLevel = config.thinkingLevel, temperature, maxTokens, activeTools } = overrides;
  const tools = config.tools?.map((tool) => (typeof tool === "string" ? tool : tool.name));
  const from = summary === undefined ? 0 : transcript.indexAfter(summary.through);
  const shown = toModelMessages(transcript.messages.slice(from));
  const ids = shown.map(({ id }) => id).filter((id) => !withheld.has(id));
  const leftOut = new Set(quarantined.map(nameOfPart));
  return {
    ids: summary === undefined ? ids : [summary.id, ...ids],
    images: imagesIn(shown)
      .map(nameOfPart)
      .filter((part) => !leftOut.has(part)),
    instructions: config.instructions ?? prompt?.instructions,
    // A session with tools can read their stored outputs.
    ...(tools && { tools: tools.length === 0 ? tools : [...tools, "read_output"] }),
    ...(activeTools && { tools: activeTools }),
    model: overrides.model === undefined ? undefined : "other",
    thinkingLevel,
    temperature,
    maxTokens,
  };
}

type StepOverrides = CrashOverrides & { readonly activeTools?: readonly string[] };

/** Choice that was recorded for the step. */
function choiceFor({ turn }: SessionFold, step: number): StepOverrides {
  const prepared = turn?.prior(true).prepared;
  // As the scenario's agent chose it.
  return prepared?.step === step ? (prepared.choice as StepOverrides) : {};
}

/** Options the client sent with the first turn of a chain. */
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

function keyOf({
  turnId,
  step,
  attempt,
}: Pick<SeenRequest, "turnId" | "step" | "attempt">): string {
  return `turn ${turnId}, step ${step}, attempt ${attempt}`;
}

/** Opens the session that a command works on, with the settings that were asked for. */
import type { Host, Session, SessionSettings } from "@capstan/core";
import type { TurnRequest } from "../command-line/request.ts";
import type { Io } from "../process/io.ts";
import type { ChosenSession } from "./choose-session.ts";
import type { SessionModel } from "./choose-session-model.ts";
import { agentNameOf } from "./folder-agent.ts";
import { readFacts } from "./instruction-facts.ts";
import { instructionsOf } from "./instructions.ts";
import { promptOf } from "./session-facts.ts";

export interface SessionWork extends ChosenSession {
  readonly request: Pick<TurnRequest, "flags">;
}

/** Settings the user asked for are stored with the session; detected ones are not. */
export async function openSession(
  io: Io,
  host: Host,
  work: SessionWork,
  { chosen }: SessionModel,
): Promise<Session> {
  const { flags } = work.request;
  const { cwd, config } = work.folder;
  const { thinking } = config.settings;
  const instructions = await renewedPrompt(io, work);
  const asked: SessionSettings = {
    ...(flags.model !== undefined && { model: chosen.model }),
    ...(flags.thinking !== undefined && thinking !== undefined && { thinkingLevel: thinking }),
    ...(instructions !== undefined && { instructions }),
  };
  if (work.stored === undefined) {
    return host.createSession({
      agent: agentNameOf(cwd),
      principal: cwd,
      metadata: { cwd },
      config: asked,
    });
  }
  const session = await host.open(work.stored.id);
  if (Object.keys(asked).length > 0) await session.configure(asked);
  return session;
}

/** Longest time that vendors keep the beginning of a request. */
const warmMs = 3_600_000;

/** System prompt of today, for a session that no vendor's cache remembers any more. Undefined if it stays. */
async function renewedPrompt(
  io: Io,
  { stored, folder }: ChosenSession,
): Promise<string | undefined> {
  if (stored === undefined || stored.fold.status === "running") return undefined;
  const recorded = promptOf(stored);
  if (recorded === undefined) return undefined;
  if (io.clock.now() - stored.listed.head.updatedAt <= warmMs) return undefined;
  const current = instructionsOf(await readFacts(io, folder));
  return current === recorded ? undefined : current;
}

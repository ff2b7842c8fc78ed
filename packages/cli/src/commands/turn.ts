/** `capstan <prompt>`: runs turns of a new or an existing session. */
import type { HostFault } from "@capstan/core";
import { Host } from "@capstan/core";
import type { TurnResponse, UserPart } from "@capstan/kernel";
import { serializeError } from "@capstan/kernel";
import type { SessionRepository } from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import { helpText } from "../command-line/help.ts";
import type { TurnRequest } from "../command-line/request.ts";
import type { Io } from "../process/io.ts";
import type { ExitCode } from "./exit-code.ts";
import { exitCodeOf } from "./exit-code.ts";
import { createJsonPrinter } from "../print/json-printer.ts";
import type { Printer } from "../print/printer.ts";
import { createTextPrinter } from "../print/text-printer.ts";
import { readAttachments } from "../session/attachments.ts";
import { chooseSession } from "../session/choose-session.ts";
import type { ChosenSession } from "../session/choose-session.ts";
import { chooseSessionModel } from "../session/choose-session-model.ts";
import { dropTurn } from "../session/drop-turn.ts";
import { reasonOf } from "../errors/command-error.ts";
import { createFolderAgent } from "../session/folder-agent.ts";
import type { Folder } from "../session/load-folder.ts";
import { refusalsIn } from "../session/refusals.ts";
import { openSession } from "../session/open-session.ts";
import { openStore } from "../session/open-store.ts";
import { readPrompt } from "../session/read-prompt.ts";
import type { Prompt } from "../session/run-prompt.ts";
import { runPrompt } from "../session/run-prompt.ts";
import { isHeldElsewhere } from "../session/stored-sessions.ts";

/** How long a crashed process blocks others, if the store cannot tell that it is dead. */
const leaseMs = 5_000;

interface Work extends ChosenSession {
  readonly request: TurnRequest;
  readonly prompt: Prompt | undefined;
  readonly store: SessionRepository;
  readonly printer: Printer;
}

export async function turn(io: Io, request: TurnRequest, here: Folder): Promise<ExitCode> {
  const printer = request.isJson ? createJsonPrinter(io) : createTextPrinter(io, request);
  const { note } = printer;
  const attachments = await readAttachments(request, here, note);
  const prompt = withParts(await readPrompt(io, request.prompt, note), attachments);
  if (prompt === undefined && request.session.type === "new") {
    io.stderr.write(helpText());
    return 2;
  }
  if (!request.isStored) {
    note("this session is not stored");
    const work = { folder: here, stored: undefined, request, prompt, printer };
    return runTurns(io, { ...work, store: memoryRepository() });
  }
  const store = await openStore(here.config.settings.store);
  try {
    const chosen = await chooseSession(io, { request, folder: here, store, note });
    const stored = request.isDropping ? await dropTurn(io, store, chosen, note) : chosen.stored;
    return await runTurns(io, { ...chosen, stored, request, prompt, store, printer });
  } finally {
    await store.close();
  }
}

function withParts(prompt: Prompt | undefined, parts: readonly UserPart[]): Prompt | undefined {
  if (parts.length === 0) return prompt;
  const own = typeof prompt === "string" ? [{ type: "text", text: prompt } as const] : prompt;
  return [...(own ?? []), ...parts];
}

async function runTurns(io: Io, work: Work): Promise<ExitCode> {
  const { request, folder, stored, store, printer, prompt } = work;
  const { settings } = folder.config;
  const { note } = printer;
  const model = await chooseSessionModel(io, request, folder, stored?.fold.config);
  note(`using ${model.chosen.name}, because ${model.chosen.reason}`);
  if (settings.maxCost !== undefined && model.chosen.model.price === undefined) {
    note(`no price known for ${model.chosen.name}: --max-cost has no effect`);
  }
  const isUnfinished = stored?.fold.status === "running";
  const isElsewhere = isUnfinished && (await isHeldElsewhere(store, stored.id));
  if (isElsewhere) note("another process is working on this session: waiting for it");
  const { agent, decide, close } = await createFolderAgent(io, { folder, note, ...model });
  const failure = Promise.withResolvers<unknown>();
  const onError = ({ where, error }: HostFault): void => {
    // The session would continue once the store is back, but a command must not wait for that.
    if (where === "store") failure.resolve(error);
    else note(reasonOf(error));
  };
  const options = { agents: [agent], repository: store, clock: io.clock, leaseMs, onError };
  // A separate host: it resumes this session, and no other unfinished one it finds.
  const host = new Host(options, true);
  try {
    const session = await openSession(io, host, work, model);
    printer.start({ id: session.id, model: model.chosen.name, cwd: folder.cwd });
    // An unfinished turn resumes at once, and none of its events may be missed.
    const stop = session.subscribe(printer.onEvent, isUnfinished ? { after: stored.cursor } : {});
    const response = await runPrompt({
      session,
      prompt,
      decide,
      note,
      tellRefusal: printer.refused,
      isElsewhere,
      signal: io.signal,
      maxContinuations: settings.planning.maxContinuations,
      maxCost: settings.maxCost,
      failure: failure.promise.then(unwritable),
    });
    stop();
    if (response === undefined) note("nothing to resume: add a prompt to continue");
    return end(io, printer, response ?? nothingDone);
  } finally {
    await host.close();
    await close();
  }
}

const nothingDone: TurnResponse = {
  status: "completed",
  text: "",
  hasAnswer: false,
  messages: [],
  finishReason: "stop",
  usage: {},
};

function unwritable(thrown: unknown): TurnResponse {
  const { name, message } = serializeError(thrown);
  const error = {
    name,
    message: `${message}. Everything recorded so far is stored: resume with --continue`,
  };
  return { ...nothingDone, status: "error", finishReason: "error", error };
}

function end(io: Io, printer: Printer, response: TurnResponse): ExitCode {
  const { status, finishReason, text, usage, cost, error } = response;
  const refusals = refusalsIn(response.messages);
  const exitCode = exitCodeOf(response, refusals.length > 0, io);
  printer.end({
    status,
    finishReason,
    text,
    usage,
    ...(cost !== undefined && { cost }),
    ...(error && { error }),
    refusals,
    exitCode,
  });
  return exitCode;
}

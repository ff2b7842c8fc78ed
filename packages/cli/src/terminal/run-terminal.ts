/** `capstan` on a terminal: holds a conversation, and returns once the user leaves. */
import type { ChatMessage } from "@capstan/kernel";
import type { SessionRepository } from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import type { TurnRequest } from "../command-line/request.ts";
import type { ExitCode } from "../commands/exit-code.ts";
import type { AskUser } from "../mcp/open-servers.ts";
import type { Io } from "../process/io.ts";
import type { Folder } from "../session/load-folder.ts";
import { openStore } from "../session/open-store.ts";
import { App } from "./app.ts";
import type { OpenTerminal } from "./open-terminal.ts";
import { welcome } from "./welcome.ts";
import type { OpenWork } from "./work.ts";
import { changeRequest, openWork } from "./work.ts";

/** Throws like the commands do; the caller then closes the screen. */
export async function runTerminal(
  io: Io,
  request: TurnRequest,
  here: Folder,
  { device, look, screen, parts }: OpenTerminal,
): Promise<ExitCode> {
  let store: (SessionRepository & { close?(): Promise<void> }) | undefined;
  const note = (text: string): void => app.note(text);
  const askUser: AskUser = (question) => app.ask(question);
  const open: OpenWork = async (changes, current) => {
    store ??= request.isStored ? await openStore(here.config.settings.store) : memoryRepository();
    const next = current === undefined ? request : changeRequest(request, changes, current);
    const folder = withModel(current?.folder ?? here, next.flags.model);
    const isFirst = current === undefined;
    const onRead = isFirst && ((messages: readonly ChatMessage[]) => app.preview(messages));
    return openWork(io, { request: next, folder, store, note, askUser, ...(onRead && { onRead }) });
  };
  const app = new App(io, look, open);
  app.attach(screen);
  parts.use(app.parts);
  const cancelColours = io.clock.timer(0, () => look.loadColours());
  const onAbort = (): void => app.leave(io.interruptedCode());
  io.signal.addEventListener("abort", onAbort, { once: true });
  if (io.signal.aborted) onAbort();
  try {
    for (const text of here.config.notes) note(text);
    const work = await open({}, undefined);
    app.enter(work);
    for (const line of welcome(work, request)) note(line);
    app.sendEarly();
    return await app.left;
  } finally {
    io.signal.removeEventListener("abort", onAbort);
    cancelColours();
    const session = request.isStored ? app.work?.session : undefined;
    const isStored = session !== undefined && session.lastSeq > 0;
    // The terminal is restored first: what follows may take a moment, or fail.
    if (app.work !== undefined) screen.close();
    if (isStored) device.write(`capstan --resume ${session.id}\r\n`);
    await app.close();
    await store?.close?.();
  }
}

/** The settings were loaded before the user has chosen this model. */
function withModel(folder: Folder, model: string | undefined): Folder {
  const { config } = folder;
  if (model === undefined) return folder;
  return { ...folder, config: { ...config, settings: { ...config.settings, model } } };
}

/** `capstan` on a terminal: opens a conversation, and returns once the user leaves. */
import type { SessionRepository } from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import type { TurnRequest } from "../command-line/request.ts";
import type { ExitCode } from "../commands/exit-code.ts";
import type { Io } from "../process/io.ts";
import type { Folder } from "../session/load-folder.ts";
import { openStore } from "../session/open-store.ts";
import { App } from "./app.ts";
import type { TerminalDevice } from "./contracts.ts";
import { removeFirstPrompt } from "./first-frame.ts";
import { Look } from "./look.ts";
import type { ThemeName } from "./render/theme.ts";
import { welcome } from "./welcome.ts";
import type { OpenWork } from "./work.ts";
import { changeRequest, openWork } from "./work.ts";

export async function runTerminal(
  io: Io & { readonly terminal: TerminalDevice },
  request: TurnRequest,
  here: Folder,
): Promise<ExitCode> {
  const { createTypesetter, openScreen } = await import("./screen.ts");
  const look = new Look({ name: themeOf(io), createTypesetter });
  let store: (SessionRepository & { close?(): Promise<void> }) | undefined;
  const note = (text: string): void => app.note(text);
  const open: OpenWork = async (changes, current) => {
    store ??= request.isStored ? await openStore(here.config.settings.store) : memoryRepository();
    const next = current === undefined ? request : changeRequest(request, changes, current);
    const folder = current?.folder ?? here;
    return openWork(io, { request: next, folder, store, note });
  };
  const app = new App(io, look, open);
  removeFirstPrompt(io.terminal);
  const screen = openScreen(io.terminal, app.parts, { theme: () => look.theme, clock: io.clock });
  app.attach(screen);
  screen.setTitle("capstan");
  const cancelColours = io.clock.timer(0, () => look.loadColours());
  const onAbort = (): void => app.leave(io.interruptedCode());
  io.signal.addEventListener("abort", onAbort, { once: true });
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
    // The terminal is restored first: what follows may take a moment, or fail.
    screen.close();
    await app.close();
    await store?.close?.();
  }
}

function themeOf({ env }: Io): ThemeName {
  if (env["NO_COLOR"]) return "plain";
  // Set by some terminals as "foreground;background": 7 and 15 are light.
  return /;(7|15)$/.test(env["COLORFGBG"] ?? "") ? "light" : "dark";
}

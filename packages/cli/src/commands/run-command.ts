/** Runs a command, and reports errors in one line. */
import { isCapstanError } from "@capstan/kernel";
import type { CommandRequest } from "../command-line/request.ts";
import type { Io } from "../process/io.ts";
import type { ExitCode } from "./exit-code.ts";
import { createNotes } from "../print/notes.ts";
import type { Folder } from "../session/load-folder.ts";
import { loadFolder, loadFolderAnyway } from "../session/load-folder.ts";
import { toOneLine } from "../print/terminal-text.ts";
import type { OpenTerminal } from "../terminal/open-terminal.ts";

/**
 * Imports each command's packages lazily, so that other commands need not wait for them. Never throws. `opened`: the screen of a conversation,
 * which is closed at the end.
 */
export async function runCommand(
  request: CommandRequest,
  io: Io,
  opened?: OpenTerminal,
): Promise<ExitCode> {
  const note = createNotes(io);
  try {
    // The doctor is asked because something is wrong, and `config set` may correct it.
    const isAnyway = request.type === "doctor" || request.type === "config";
    const load = isAnyway ? loadFolderAnyway : loadFolder;
    const folder = await load(io, request);
    if (request.type === "turn" && opened !== undefined) {
      const { runTerminal } = await import("../terminal/run-terminal.ts");
      return await runTerminal(io, request, folder, opened);
    }
    for (const text of folder.config.notes) note(text);
    return await dispatch(request, io, folder);
  } catch (thrown) {
    opened?.screen.close({ isErased: true });
    if (io.signal.aborted) return io.interruptedCode();
    // A file may have several problems. Each line starts with its position, as editors expect.
    if (isCapstanError(thrown) && thrown.code === "invalid_config") {
      for (const line of thrown.message.split("\n")) io.stderr.write(`${toOneLine(line)}\n`);
    } else note(thrown instanceof Error ? thrown.message : String(thrown));
    return isWrongUse(thrown) ? 2 : 1;
  }
}

async function dispatch(request: CommandRequest, io: Io, folder: Folder): Promise<ExitCode> {
  switch (request.type) {
    case "turn":
      return (await import("./turn.ts")).turn(io, request, folder);
    case "sessions":
      return (await import("./sessions.ts")).sessions(io, request, folder);
    case "serve":
      return (await import("./serve.ts")).serve(io, request, folder);
    case "models":
      return (await import("./models.ts")).runModels(io, request, folder.config);
    case "doctor":
      return (await import("./doctor.ts")).runDoctor(io, request, folder.config);
    case "init":
      return (await import("./init.ts")).init(io, folder);
    case "mcp":
      return (await import("./mcp.ts")).mcp(io, request, folder);
    case "config":
      return (await import("./config.ts")).config(io, request.action, folder);
    default:
      return request satisfies never;
  }
}

/** True if the user has to change the request or the configuration. */
function isWrongUse(thrown: unknown): boolean {
  if (!isCapstanError(thrown)) return false;
  return ["ConfigError", "ModelError"].includes(thrown.name) || thrown.code === "wrong_use";
}

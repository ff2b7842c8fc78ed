/** The `capstan` command as a function: takes arguments, writes output, returns the exit code. */
import { helpText } from "../command-line/help.ts";
import { parseCommandLine } from "../command-line/parse-command-line.ts";
import type { ExitCode } from "../commands/exit-code.ts";
import type { CommandRequest } from "../command-line/request.ts";
import type { Io } from "./io.ts";
import type { OpenTerminal } from "../terminal/open-terminal.ts";
import { toOneLine } from "../print/terminal-text.ts";
import { opensConversation, screenKindOf } from "../terminal/opens-conversation.ts";
import { version } from "../command-line/version.ts";

export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  const request = parseCommandLine(argv);
  switch (request.type) {
    case "help":
      io.stdout.write(helpText(request.command));
      return 0;
    case "version":
      io.stdout.write(`capstan ${version}\n`);
      return 0;
    case "completion": {
      const { completionScript } = await import("../command-line/completion.ts");
      io.stdout.write(completionScript(request.shell));
      return 0;
    }
    case "mistake": {
      const command = request.command === undefined ? "" : ` ${request.command}`;
      const message = toOneLine(`capstan: ${request.message}`);
      io.stderr.write(`${message}\nTry: capstan${command} --help\n`);
      return 2;
    }
    default: {
      const opened = await openIfConversation(request, io);
      // Everything else needs the other packages; without them, help and version respond at once.
      const { runCommand } = await import("../commands/run-command.ts");
      return runCommand(request, io, opened);
    }
  }
}

/** The first frame comes before any package is loaded, and the prompt before those that the conversation needs. */
async function openIfConversation(
  request: CommandRequest,
  io: Io,
): Promise<OpenTerminal | undefined> {
  if (request.type !== "turn" || !opensConversation(request, io)) return undefined;
  const kind = screenKindOf(request, io.env);
  const { drawFirstFrame } = await import("../terminal/screen/first-frame.ts");
  drawFirstFrame(io.terminal, kind, !io.env["NO_COLOR"]);
  const { openTerminal } = await import("../terminal/open-terminal.ts");
  const opened = await openTerminal(io, kind);
  // Keys that wait are shown before more is loaded.
  await new Promise((resolve) => setImmediate(resolve));
  return opened;
}

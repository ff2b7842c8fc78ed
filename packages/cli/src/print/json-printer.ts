/** Prints a session as JSON lines on stdout: the session, its events in wire format, and the result. Notes stay on stderr. */
import { formatCursor, toWireJsonOfTurn } from "@capstan/log";
import type { Io } from "../process/io.ts";
import { describeCall } from "./describe-call.ts";
import { createNotes } from "./notes.ts";
import type { Printer } from "./printer.ts";

export function createJsonPrinter(io: Pick<Io, "stdout" | "stderr" | "env">): Printer {
  const line = (json: string): void => io.stdout.write(`${json}\n`);
  const note = createNotes(io);
  return {
    start: (session) => line(JSON.stringify({ type: "session", ...session })),
    // Each line has its own cursor, so that any line can be used alone.
    onEvent: (event, cursor) => {
      // The result says that nothing more follows.
      if (event.type === "settled") return;
      line(`{"cursor":"${formatCursor(cursor)}",${toWireJsonOfTurn(event).slice(1)}`);
    },
    note,
    refused: (call, why) => note(`refused: ${describeCall(call)} (${why})`),
    end: (outcome) => line(JSON.stringify({ type: "result", ...outcome })),
  };
}

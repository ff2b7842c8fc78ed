/** A session as lines of JSON on stdout: what it is, its events as they are on the wire, and how it ended. Notes stay on stderr. */
import { formatCursor, toWireJsonOfTurn } from "@capstan/log";
import type { Io } from "../process/io.ts";
import { createNotes } from "./notes.ts";
import type { Printer } from "./printer.ts";

export function createJsonPrinter(io: Pick<Io, "stdout" | "stderr" | "env">): Printer {
  const line = (json: string): void => io.stdout.write(`${json}\n`);
  return {
    start: (session) => line(JSON.stringify({ type: "session", ...session })),
    // Each line says all there is to know of its place, so that any of them can be taken alone.
    onEvent: (event, cursor) => {
      // That nothing more will come is said by the result.
      if (event.type === "settled") return;
      line(`{"cursor":"${formatCursor(cursor)}",${toWireJsonOfTurn(event).slice(1)}`);
    },
    note: createNotes(io),
    end: (outcome) => line(JSON.stringify({ type: "result", ...outcome })),
  };
}

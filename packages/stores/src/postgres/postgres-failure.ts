/** What PostgreSQL or the way to it fails with, as what a repository fails with. */
import { isRepositoryError, LogError, RepositoryError } from "@capstan/log";

const unreachable =
  "it cannot be reached: see whether it runs, and whether the address is right. The store comes back by itself";

/** By SQLSTATE, or the beginning of it, or the code of the system or the driver. */
const advice: readonly (readonly [prefix: string, hint: string])[] = [
  ["28", "it does not let us in: check user and password"],
  ["3D000", "there is no such database: create it"],
  ["42501", "the user may not do this: grant it the rights on the schema"],
  ["53", "it has no room left: see its disk, memory and connections"],
  ["54", "it is larger than PostgreSQL takes"],
  ["57P", unreachable],
  ["08", unreachable],
  ["CONN", unreachable],
  ["ECONN", unreachable],
  ["ENOTFOUND", unreachable],
  ["ENOENT", unreachable],
  ["EAI_AGAIN", unreachable],
  ["EHOSTUNREACH", unreachable],
  ["ETIMEDOUT", unreachable],
  ["EPIPE", unreachable],
];

/** The name of the constraint that a row would have broken. */
export function brokenConstraint(thrown: unknown): string | undefined {
  const { code, constraint_name: name } = fieldsOf(thrown);
  return code === "23505" ? name : undefined;
}

/** What was refused for a reason stays as it is; all else is the store's fault. `where` has no password in it. */
export function toRepositoryError(thrown: unknown, where: string, sessionId: string): Error {
  if (isRepositoryError(thrown) || thrown instanceof LogError) return thrown;
  const { code = "" } = fieldsOf(thrown);
  const why = messageOf(thrown) || code;
  const hint = advice.find(([prefix]) => code.startsWith(prefix))?.[1];
  const message = `The database ${where} failed (${why})${hint === undefined ? "" : `: ${hint}`}`;
  return new RepositoryError("unavailable", sessionId, message, { cause: thrown });
}

interface Fields {
  readonly code?: string;
  readonly constraint_name?: string;
}

/** An address may stand for several, and each may have failed. */
function messageOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === "") {
    return thrown.errors.map(messageOf).join(", ");
  }
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function fieldsOf(thrown: unknown): Fields {
  // The driver's errors have them, and so have the system's.
  return (thrown as Fields | null | undefined) ?? {};
}

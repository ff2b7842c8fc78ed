/** Converts errors of PostgreSQL and of its connections to repository errors. */
import { isRepositoryError, LogError, RepositoryError } from "@capstan/log";

const unreachable =
  "it is unreachable: check that it is running, and that the address is correct. The store reconnects by itself";

/** By SQLSTATE or its prefix, or by the code of the system or the driver. */
const advice: readonly (readonly [prefix: string, hint: string])[] = [
  ["25006", "it is read-only: a standby, until it is promoted"],
  ["28", "authentication failed: check user and password"],
  ["3D000", "the database does not exist: create it"],
  ["42501", "permission denied: grant the user rights on the schema"],
  ["53", "it is out of resources: check its disk, memory and connections"],
  ["54", "it exceeds a limit of PostgreSQL"],
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

/** Returns the name of the violated unique constraint. */
export function brokenConstraint(thrown: unknown): string | undefined {
  const { code, constraint_name: name } = fieldsOf(thrown);
  return code === "23505" ? name : undefined;
}

/** Whether the user has no right to do this. */
export function isForbidden(thrown: unknown): boolean {
  return fieldsOf(thrown).code === "42501";
}

/** Returns repository and log errors unchanged; everything else is a failure of the store. `where` contains no password. */
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

/** A host name may resolve to several addresses, each of which may have failed. */
function messageOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === "") {
    return thrown.errors.map(messageOf).join(", ");
  }
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function fieldsOf(thrown: unknown): Fields {
  // Errors of the driver and of the system have these fields.
  return (thrown as Fields | null | undefined) ?? {};
}

/** Names of several databases, from their URLs: with the id of a session they decide where it is. */
import { RepositoryError } from "@capstan/log";
import { nameOf } from "./database.ts";

export interface NamedUrl {
  /** Host and name of the database. */
  readonly name: string;
  readonly url: string;
}

/** Fails with `unavailable` without a URL, for one that is missing or invalid, and for two that lead to the same database. */
export function nameDatabases(urls: readonly (string | undefined)[]): NamedUrl[] {
  if (urls.length === 0) throw refusal("There is no database: pass at least one URL");
  const named = urls.map((url, index) => {
    const where = urls.length === 1 ? "" : `, number ${index + 1} of ${urls.length}`;
    if (url === undefined || url === "") {
      throw refusal(`Missing URL of a PostgreSQL database${where}: pass one, or set DATABASE_URL`);
    }
    // One database needs no name: the driver also accepts URLs with several hosts.
    if (urls.length > 1 && !isNameable(url)) {
      // Without the URL, which may contain a password.
      const form = "postgres://user:password@host:port/name, with one host";
      throw refusal(`Invalid URL of a PostgreSQL database${where}: use the form ${form}`);
    }
    return { name: nameOf(url), url };
  });
  const twice = named.find((one, index) =>
    named.slice(0, index).some((other) => other.name === one.name || isSame(other.url, one.url)),
  );
  if (twice === undefined) return named;
  throw refusal(`The database ${twice.name} is given twice: pass each URL once`);
}

function isNameable(url: string): boolean {
  const protocol = URL.canParse(url) ? new URL(url).protocol : "";
  return protocol === "postgres:" || protocol === "postgresql:";
}

/** Whether both lead to one database, although they are spelt differently. */
function isSame(one: string, other: string): boolean {
  return addressOf(new URL(one)) === addressOf(new URL(other));
}

/** With the defaults of the driver. */
function addressOf({ hostname, port, pathname, username }: URL): string {
  const { PGPORT = "5432", PGDATABASE = username } = process.env;
  const database = pathname.slice(1) || PGDATABASE;
  return `${hostname.toLowerCase()}:${port || PGPORT}/${database}`;
}

function refusal(message: string): RepositoryError {
  return new RepositoryError("unavailable", "", message);
}

/** What a server is made of. */
import type { Clock, Host } from "@capstan/core";
import type { AccessRules } from "../guard/access.ts";
import type { Authenticate } from "../guard/authenticate.ts";
import type { ClientToolLimits, ServerLimits } from "../guard/limits.ts";

export interface ServerOptions extends AccessRules {
  /** Runs the sessions. It is closed with the server. */
  readonly host: Host;
  readonly authenticate: Authenticate;
  /** Which agents of the host clients may ask for; the first is the default. Default all. */
  readonly agents?: readonly string[];
  /** Which models clients may ask for by name, besides the agent's own. Default none. */
  readonly models?: readonly string[];
  readonly limits?: Partial<ServerLimits>;
  /** Whether clients may lend tools, and how many. Default true. */
  readonly clientTools?: boolean | Partial<ClientToolLimits>;
  /**
   * Whether clients may send images and documents by URL, which vendors then fetch. Default false: such a URL may lead to what only the vendor, or a
   * fetcher of the host's, can reach.
   */
  readonly allowMediaUrls?: boolean;
  /**
   * Whether clients see the messages of errors that end or delay a turn as they were thrown, with addresses, paths and what a vendor said. Default false: they see a code, and
   * a message of their own for each code.
   */
  readonly errorDetails?: boolean;
  /** Default: the clock of the process. */
  readonly clock?: Clock;
  /** Is told of what went wrong here and was no client's fault. */
  readonly onError?: (thrown: unknown) => void;
}

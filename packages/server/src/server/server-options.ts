/** Options of a server. */
import type { Clock, Host } from "@capstan/core";
import type { ChatProtocol } from "@capstan/log/chat";
import type { AccessRules } from "../guard/access.ts";
import type { Authenticate } from "../guard/authenticate.ts";
import type { ClientToolLimits, ServerLimits } from "../guard/limits.ts";
import type { ProxyOptions } from "../proxy/proxy-options.ts";

/** How `/api/chat` serves pages that use the AI SDK. */
export interface ChatOptions {
  /** Major version of the AI SDK on the page. Default 7. A request may choose another with `?protocol=`. */
  readonly protocol: ChatProtocol;
  /** Effect of a reader that leaves before the turn has ended. Default `continue`: the turn goes on, and the page can come back. */
  readonly onDisconnect: "continue" | "cancel";
}

/** Options of `createServer`. */
export interface ServerOptions extends AccessRules {
  /** Runs the sessions. Closed together with the server. */
  readonly host: Host;
  readonly authenticate: Authenticate;
  /** Agents of the host that clients may use; the first is the default. Default all. */
  readonly agents?: readonly string[];
  /** Models that clients may request by name, besides the agent's own. Default none. */
  readonly models?: readonly string[];
  /**
   * Path under which the server is mounted, for example `/agents`. Default none. Requests may come with it or, if a framework removes it, without
   * it.
   */
  readonly basePath?: string;
  readonly limits?: Partial<ServerLimits>;
  /** Whether clients may lend tools, and the limits. Default true. */
  readonly clientTools?: boolean | Partial<ClientToolLimits>;
  /**
   * Whether clients may send images and documents by URL, which vendors then fetch. Default false: such a URL may point to something
   * that only the vendor, or the host's media fetcher, can reach.
   */
  readonly allowMediaUrls?: boolean;
  /**
   * Whether clients see the original messages of errors that end or delay a turn, with addresses, paths and vendors' messages. Default
   * false: they see a code, and a generic message for each code.
   */
  readonly errorDetails?: boolean;
  /** Choices for pages that use the AI SDK. */
  readonly chat?: Partial<ChatOptions>;
  /** Models that clients may ask through `/api/stream`, with this server's keys. Default none. */
  readonly proxy?: ProxyOptions;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Called with errors of the server itself, not caused by a client. */
  readonly onError?: (thrown: unknown) => void;
}

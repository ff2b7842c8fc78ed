/** A subscriber of a session and of all sessions below it, at any depth and in whichever process they run. */
import { background } from "@capstan/kernel";
import type {
  Cursor,
  SessionEvent,
  ShownCalls,
  TreeCursor,
  TreeListener,
  TreePosition,
} from "@capstan/log";
import type { SessionError } from "../errors/session-error.ts";
import type { SessionRuntime } from "../host/session-runtime.ts";
import type { SessionHost } from "../session/session-host.ts";
import { tellEnd } from "./readers.ts";
import type { SubscribeFrom } from "./subscribe-after.ts";
import { TreeNode } from "./tree-node.ts";

/** Children whose logs are read at the same time. */
const maxReplays = 8;

export class TreeSubscription {
  readonly host: SessionHost;
  readonly ready: SubscribeFrom["ready"];
  readonly #listener: TreeListener;
  readonly #onEnd: SubscribeFrom["onEnd"];
  readonly #runtime: SessionRuntime;
  readonly #position: TreePosition;
  #root: TreeNode | undefined;
  #replays = 0;
  #waiting: (() => void)[] = [];

  constructor(
    listener: TreeListener,
    { ready, onEnd }: SubscribeFrom,
    runtime: SessionRuntime,
    host: SessionHost,
  ) {
    this.host = host;
    this.ready = ready;
    this.#listener = listener;
    this.#onEnd = onEnd;
    this.#runtime = runtime;
    const position = (): string => this.#root?.position ?? "";
    this.#position = {
      get cursor() {
        return position();
      },
    };
  }

  /** Delivers the events after a position, or from now on. Returns a function that unsubscribes. */
  follow(at: TreeCursor | undefined, shown: ShownCalls): () => void {
    const runtime = this.#runtime;
    const start = at ?? { cursor: runtime.log.feed.cursor };
    this.#root = new TreeNode(runtime.id, start, this, undefined);
    if (at === undefined) this.#root.followFromNow(runtime, shown);
    else this.#root.follow(runtime, shown);
    return () => this.#root?.leave();
  }

  /** The session is gone. */
  end(why: SessionError): void {
    this.#root?.leave();
    tellEnd(this.#onEnd, why);
  }

  /** Follows a session below. The rest of the tree does not depend on it. */
  open(node: TreeNode): void {
    background(node.open(), (error) => {
      if (node.isOver) return;
      this.host.report({ error, where: "store", sessionId: node.sessionId });
      node.leave();
    });
  }

  /** A failure of the listener ends nothing. */
  deliver(event: SessionEvent, cursor: Cursor): void {
    try {
      this.#listener(event, cursor, this.#position);
    } catch (error) {
      this.host.report({ error, where: "listener", sessionId: event.sessionId });
    }
  }

  /** Waits until another log may be read. Returns a function to call when it was. */
  async slot(): Promise<() => void> {
    if (this.#replays < maxReplays) this.#replays += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      const next = this.#waiting.shift();
      if (next === undefined) this.#replays -= 1;
      else next();
    };
  }
}

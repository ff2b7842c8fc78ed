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
import { parseTreeCursor } from "@capstan/log";
import type { SessionError } from "../errors/session-error.ts";
import { invalid } from "../errors/session-error.ts";
import type { SessionRuntime } from "../host/session-runtime.ts";
import type { SessionHost } from "../session/session-host.ts";
import { tellEnd } from "./readers.ts";
import type { SubscribeFrom } from "./subscribe-after.ts";
import { TreeNode } from "./tree-node.ts";

export interface SubscribeTree extends Omit<SubscribeFrom, "after"> {
  /** Delivers the events of child sessions, too. */
  readonly tree: true;
  /**
   * Events after this composite cursor are delivered first, from the logs. After the cursor of the session alone, children that were at work then
   * are delivered from the beginning of their work. Default: the session from now on, and its children in the same way.
   */
  readonly after?: Cursor | string;
}

export function isOfTree(from: SubscribeFrom | SubscribeTree): from is SubscribeTree {
  return "tree" in from && from.tree;
}

/** Children whose logs are read at the same time. */
const maxReplays = 8;

export class TreeSubscription {
  readonly host: SessionHost;
  readonly ready: SubscribeFrom["ready"];
  readonly #listener: TreeListener;
  readonly #onEnd: SubscribeFrom["onEnd"];
  readonly #root: TreeNode;
  readonly #position: TreePosition;
  #replays = 0;
  #waiting: (() => void)[] = [];

  /** Throws `invalid_input` for an invalid cursor. */
  constructor(
    listener: TreeListener,
    from: SubscribeTree,
    runtime: SessionRuntime,
    host: SessionHost,
  ) {
    this.host = host;
    this.ready = from.ready;
    this.#listener = listener;
    this.#onEnd = from.onEnd;
    const { after } = from;
    const at = after === undefined ? { cursor: runtime.log.feed.cursor } : toTreeCursor(after);
    const root = new TreeNode(runtime.id, at, this, undefined);
    this.#root = root;
    this.#position = {
      get cursor() {
        return root.position;
      },
    };
  }

  /** Delivers the events of the session after the cursor. */
  follow(runtime: SessionRuntime, shown: ShownCalls): void {
    this.#root.follow(runtime, shown);
  }

  /** Delivers the events of the session from now on. */
  followFromNow(runtime: SessionRuntime, shown: ShownCalls): void {
    this.#root.followFromNow(runtime, shown);
  }

  stop(): void {
    this.#root.leave();
  }

  /** The session is gone. */
  end(why: SessionError): void {
    this.#root.leave();
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

function toTreeCursor(after: Cursor | string): TreeCursor {
  if (typeof after !== "string") return { cursor: after };
  const parsed = parseTreeCursor(after);
  if (parsed !== undefined) return parsed;
  const shown = after.length > 50 ? `${after.slice(0, 50)}…` : after;
  throw invalid(`Invalid cursor "${shown}": pass one that a listener of the tree got`);
}

/** One session of a tree that a subscriber follows: opened when its start is seen, released when it was read to its end. */
import type {
  Child,
  Cursor,
  EventListener,
  SessionEvent,
  ShownCalls,
  TreeCursor,
} from "@capstan/log";
import { formatCursor, formatTreeCursor, isLiveOnly } from "@capstan/log";
import type { SessionRuntime } from "../host/session-runtime.ts";
import { findChild } from "./find-child.ts";
import { subscribeAfter } from "./subscribe-after.ts";
import { turnEndLast } from "./turn-end-last.ts";
import type { TreeSubscription } from "./tree-subscription.ts";

type StartEvent = Extract<SessionEvent, { readonly type: "child_started" }>;

interface Followed {
  readonly startSeq: number;
  readonly node: TreeNode;
}

/** Most sessions have no children. */
const none: Map<string, Followed> = new Map();
const noCursors: NonNullable<TreeCursor["children"]> = new Map();

export class TreeNode {
  readonly sessionId: string;
  readonly #tree: TreeSubscription;
  readonly #parent: TreeNode | undefined;
  /** First position of the subscriber in this session, and in those below it. */
  readonly #at: TreeCursor;
  #cursor: Cursor;
  /** Calls of the parent that the session works on, as far as the subscriber has seen. */
  readonly #calls: string[] = [];
  /** Sessions below it that are followed, with the seq of the entry that started each, by id. */
  #children: Map<string, Followed> = none;
  #runtime: SessionRuntime | undefined;
  /** Whether the children that were at work at the first cursor are followed. */
  #hasBegun = false;
  /** Whether everything that was stored is delivered. */
  #hasJoined = false;
  /** Resolves once the session is found and everything that was stored is delivered, or the subscriber has left it. */
  #opening: Promise<void> | undefined;
  /** Called when the subscriber leaves this session; undefined once it has. A signal would take more memory than the rest of a node. */
  #leaving: (() => void)[] | undefined = [];

  constructor(
    sessionId: string,
    at: TreeCursor,
    tree: TreeSubscription,
    parent: TreeNode | undefined,
  ) {
    this.sessionId = sessionId;
    this.#at = at;
    this.#cursor = at.cursor;
    this.#tree = tree;
    this.#parent = parent;
  }

  get isOver(): boolean {
    return this.#leaving === undefined;
  }

  /** Calls the function when the subscriber leaves this session, or at once if it has. Returns a function that takes that back. */
  onLeave(call: () => void): () => void {
    if (this.#leaving === undefined) call();
    else this.#leaving.push(call);
    return () => {
      this.#leaving = this.#leaving?.filter((other) => other !== call);
    };
  }

  /** Composite cursor of the session and those below it. */
  get position(): string {
    if (!this.#hasBegun) return formatTreeCursor(this.#at);
    const listed: string[] = [];
    for (const { startSeq, node } of this.#children.values()) {
      listed.push(`${startSeq}:${node.position}`);
    }
    return `${formatCursor(this.#cursor)}(${listed.join(",")})`;
  }

  /** Whether the parent has recorded that the session works on none of its calls any more. */
  get isCallOver(): boolean {
    const { children } = this.#parent?.fold ?? {};
    return this.#calls.every((toolCallId) => children?.find(toolCallId)?.isEnded !== false);
  }

  get fold(): SessionRuntime["log"]["fold"] | undefined {
    return this.#runtime?.log.fold;
  }

  /** Finds and opens the session, and follows it. Resolves once everything that was stored is delivered, or the node is over. */
  open(): Promise<void> {
    return (this.#opening ??= this.#open());
  }

  async #open(): Promise<void> {
    const found = await findChild(this, this.#tree.host);
    if (found === undefined) return this.leave();
    this.onLeave(found.release);
    const free = await this.#tree.slot();
    try {
      const joined = Promise.withResolvers<void>();
      this.onLeave(joined.resolve);
      this.follow(found.runtime, undefined, joined.resolve);
      await joined.promise;
    } finally {
      free();
    }
    this.leaveIfDone();
  }

  /** Delivers the events of the session after its cursor, and follows the sessions below it. */
  follow(
    runtime: SessionRuntime,
    shown: ShownCalls | undefined,
    joined: () => void = () => {},
  ): void {
    if (this.isOver) return;
    this.#runtime = runtime;
    const { host, ready } = this.#tree;
    const stop = subscribeAfter(
      this.#listener(),
      {
        after: this.#cursor,
        shown,
        ...(ready && { ready }),
        begin: () => this.#begin(),
        joined: () => {
          this.#hasJoined = true;
          joined();
        },
        onEnd: (why) => (this.#parent === undefined ? this.#tree.end(why) : this.leave()),
      },
      runtime,
      host.clock,
    );
    this.onLeave(stop);
  }

  /** Like `follow`, from now on: at once, so that no event is missed. */
  followFromNow(runtime: SessionRuntime, shown: ShownCalls): void {
    this.#runtime = runtime;
    this.#begin();
    this.#hasJoined = true;
    const stop = runtime.readers.add(this.#listener(), shown, (why) => this.#tree.end(why));
    runtime.wakeups.follow();
    this.onLeave(stop);
  }

  /** Delivers what the sessions below have recorded so far. Undefined if none is followed. */
  readUp(): Promise<void> | undefined {
    return this.#children.size === 0 ? undefined : this.#readChildren();
  }

  async #readChildren(): Promise<void> {
    const read = new Set<TreeNode>();
    const unread = (): TreeNode[] =>
      [...this.#children.values()].flatMap(({ node }) => (read.has(node) ? [] : node));
    // A child may start others while it is read.
    for (let nodes = unread(); nodes.length > 0; nodes = unread()) {
      for (const node of nodes) read.add(node);
      await Promise.all(nodes.map((node) => node.#readAll()));
    }
  }

  async #readAll(): Promise<void> {
    // A child that works in the background may not exist yet.
    if (this.#runtime === undefined && !this.isCallOver) return;
    // A failure is reported where it was opened.
    await this.#opening?.catch(() => {});
    if (this.isOver || this.#runtime === undefined) return;
    try {
      await this.#runtime.log.catchUp();
    } catch (thrown) {
      // The subscriber leaves a session that was deleted.
      if (!this.isOver) throw thrown;
    }
    await this.#readChildren();
  }

  #listener(): EventListener {
    const take: EventListener = (event, cursor) => this.#take(event, cursor);
    if (this.#parent !== undefined) return take;
    const { host } = this.#tree;
    const { sessionId } = this;
    return turnEndLast(
      take,
      () => this.readUp(),
      (error) => host.report({ error, where: "store", sessionId }),
    );
  }

  /** Ends the part of this session and of those below it. */
  leave(): void {
    const leaving = this.#leaving;
    if (leaving === undefined) return;
    this.#leaving = undefined;
    for (const call of leaving) call();
    for (const { node } of this.#children.values()) node.leave();
    this.#children.clear();
    this.#parent?.forget(this);
  }

  /** The session works on this call of the parent. */
  workOn(toolCallId: string): void {
    this.#calls.push(toolCallId);
  }

  /** Called by a child that is over. */
  forget(child: TreeNode): void {
    this.#children.delete(child.sessionId);
    this.leaveIfDone();
  }

  /** Leaves once the session has ended its work for the parent, and so have those below it, and all of it is delivered. */
  leaveIfDone(): void {
    if (this.isOver || this.#parent === undefined || this.#runtime === undefined) return;
    if (!this.#hasJoined || this.#children.size > 0 || !this.#runtime.isIdle) return;
    const { turn } = this.#runtime.log.fold;
    // A child that was just stopped may not have begun yet.
    const isLast = turn?.isOver === true && turn.origin.call === this.#calls.at(-1);
    if (isLast && !turn.isSuspended && this.isCallOver) this.leave();
  }

  #take(event: SessionEvent, cursor: Cursor): void {
    if (this.isOver) return;
    // After a live event a reader that returns gets a snapshot anyway, and another process may count fewer of them.
    if (isLiveOnly(event) && event.type !== "settled") return this.#tree.deliver(event, cursor);
    this.#cursor = cursor;
    if (event.type === "child_started") this.#onStarted(event);
    this.#tree.deliver(event, cursor);
    switch (event.type) {
      case "child_ended":
        return this.#children.get(event.childId)?.node.leaveIfDone();
      case "settled":
      case "turn_end":
        for (const { node } of [...this.#children.values()]) node.leaveIfDone();
        return this.leaveIfDone();
      default:
    }
  }

  /** Follows the children that were at work at the first cursor. */
  #begin(): void {
    // The subscriber may have left while the log was read.
    if (this.#hasBegun || this.isOver) return;
    this.#hasBegun = true;
    const { cursor, children } = this.#at;
    for (const child of this.fold?.children.all ?? []) {
      if (!isAt(child.startSeq, cursor)) continue;
      const isListed = children?.get(child.startSeq);
      const isAtWork = children === undefined && !isAt(child.endSeq ?? Infinity, cursor);
      const at = isListed ?? (isAtWork ? this.#beginOf(child) : undefined);
      this.#start(child, at);
    }
  }

  #onStarted({ toolCallId }: StartEvent): void {
    const child = this.fold?.children.find(toolCallId);
    if (child !== undefined) this.#start(child, this.#beginOf(child));
  }

  /** Follows a child from here; a child that is followed works on another call. */
  #start(child: Child, at: TreeCursor | undefined): void {
    const { childId, startSeq, toolCallId } = child;
    const known = this.#children.get(childId)?.node;
    if (known !== undefined) return known.workOn(toolCallId);
    if (at === undefined) return;
    const node = new TreeNode(childId, at, this.#tree, this);
    node.workOn(toolCallId);
    if (this.#children === none) this.#children = new Map();
    this.#children.set(childId, { startSeq, node });
    this.#tree.open(node);
  }

  /** After what it did for earlier calls. All sessions below it had ended then. */
  #beginOf(child: Child): TreeCursor {
    const before = this.fold?.children.workedBefore(child) ?? 0;
    const cursor = { seq: before === 0 ? 0 : before + 1, n: 0 };
    return { cursor, children: noCursors };
  }
}

/** Whether a reader at this cursor has seen the event of an entry that has one. */
function isAt(seq: number, cursor: Cursor): boolean {
  return seq < cursor.seq || (seq === cursor.seq && cursor.n > 0);
}

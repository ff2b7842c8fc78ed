/** Write access to a session's log: creates the session on the first post, posts entries, and reports refusals. */
import type { ChatMessage, JsonValue } from "@capstan/kernel";
import { hashJson } from "@capstan/kernel";
import type { Answer, CallClaim, MaybePromise, Posted, PostedBody, Refusal } from "@capstan/log";
import { andThen, isPromise, isRepositoryError, orElse, SessionFold } from "@capstan/log";
import { readAll } from "../following/log-pages.ts";
import { ownerOf } from "../children/child-posts.ts";
import { checkMedia } from "../media/check-media.ts";
import { toAnswerBody } from "../input/input.ts";
import { isSameJson, withoutSender } from "../input/same-json.ts";
import { SessionError, refused, taken, toSessionError } from "../errors/session-error.ts";
import type { SessionHost, SessionOrigin } from "./session-host.ts";
import { firstEntries, headOfNew } from "./session-host.ts";
import type { SessionRuntime } from "../host/session-runtime.ts";
import type { SessionLog } from "../owner/session-log.ts";

/** An answer that was posted. */
export interface PostedAnswer {
  readonly refusal: Refusal | undefined;
  /** Whether a child session continues with it, and this session then does, too. */
  readonly isContinued: boolean;
  /** Whether the call waits in a child in the background: no turn of this session takes the answer. */
  readonly isOfBackground: boolean;
}

export class SessionInbox {
  readonly #host: SessionHost;
  readonly #runtime: SessionRuntime;
  /** Values the session is created with on the first post; undefined once it exists. */
  #origin: SessionOrigin | undefined;
  #preview: SessionFold | undefined;
  #creating: Promise<void> | undefined;
  #createdId: string | undefined;

  constructor(runtime: SessionRuntime, host: SessionHost, origin: SessionOrigin | undefined) {
    this.#runtime = runtime;
    this.#host = host;
    this.#origin = origin;
  }

  /** Undefined once the session is in the store. */
  get origin(): SessionOrigin | undefined {
    return this.#origin;
  }

  /** State the session will have once it is created; undefined once it is. */
  get preview(): SessionFold | undefined {
    if (this.#origin === undefined) return undefined;
    if (this.#preview === undefined) {
      this.#preview = new SessionFold();
      for (const entry of firstEntries(this.#origin, "", 0)) this.#preview.apply(entry);
    }
    return this.#preview;
  }

  /** State of the session: its fold, or the preview before it is created. */
  get fold(): SessionFold {
    return this.preview ?? this.#runtime.log.fold;
  }

  ensureCreated(): MaybePromise<void> {
    if (this.#origin === undefined) return;
    if (this.#creating !== undefined) return this.#creating;
    const created = this.#create(this.#origin);
    if (!isPromise(created)) return;
    return (this.#creating = Promise.resolve(created).finally(() => {
      this.#creating = undefined;
    }));
  }

  /** Returns or resolves once the entry is durable. Fails with a `SessionError` if it was refused, unless the reason is `except`. */
  post(id: string, body: PostedBody, except?: Refusal): MaybePromise<Posted> {
    this.#runtime.mustBeOpen();
    this.#checkMedia(body);
    const posted = orElse<Posted>(
      () => andThen(this.ensureCreated(), () => this.#runtime.post(id, body)),
      (thrown) => {
        throw toSessionError(this.#runtime.id, thrown);
      },
    );
    return andThen(posted, (answer) =>
      andThen(answer.isNew ? undefined : this.#mustBeSame(answer.seq, body), () => {
        this.check(id, except);
        return answer;
      }),
    );
  }

  /**
   * Posts an answer to a pending call, where the call is pending: here, or in a child session. Returns its refusal, if it was refused. The same
   * answer with the same key counts once, so a caller that does not know whether it arrived may repeat it.
   */
  async postAnswer(answer: Answer, key: string | undefined): Promise<PostedAnswer> {
    this.#runtime.mustBeOpen();
    this.mustExist();
    const asked = this.fold.pending.find(({ toolCallId }) => toolCallId === answer.toolCallId);
    const childId = asked && ownerOf(asked);
    if (childId === undefined) {
      const refusal = await this.#postAnswer(this.#runtime.log, answer, key);
      return { refusal, isContinued: false, isOfBackground: false };
    }
    const ofChild = this.#runtime.log.fold.children.find(asked?.via?.[0]?.toolCallId ?? "");
    return this.#host.use(childId, async (child) => {
      const { log } = child;
      const refusal = await this.#postAnswer(log, answer, key);
      child.wake();
      // The parent continues once the child does.
      const isContinued = log.fold.nextAction(this.#host.clock.now()).type !== "none";
      return { refusal, isContinued, isOfBackground: ofChild?.isBackground === true };
    });
  }

  async #postAnswer(
    log: SessionLog,
    answer: Answer,
    key: string | undefined,
  ): Promise<Refusal | undefined> {
    const body = toAnswerBody(answer);
    // An entry is JSON.
    const same = `${key}~${hashJson(body as unknown as JsonValue).slice(0, 32)}`;
    const id = key === undefined ? this.#host.newId() : same;
    const { isNew } = await log.post(id, body);
    // An answer that was refused when it was first posted may be valid by now.
    if (isNew || log.fold.refusalOf(id) === undefined) return log.fold.refusalOf(id);
    const again = this.#host.newId();
    await log.post(again, body);
    return log.fold.refusalOf(again);
  }

  /** Posts a client's claim of a pending call. Fails with `already_claimed`, and like an answer. */
  async claim(toolCallId: string, claimedBy: string, leaseMs: number): Promise<CallClaim> {
    this.mustExist();
    await this.post(this.#host.newId(), { type: "call_claimed", toolCallId, claimedBy, leaseMs });
    const claim = this.fold.claims.find((known) => known.toolCallId === toolCallId);
    // Settled in the meantime.
    if (claim?.claimedBy !== claimedBy) throw refused(this.#runtime.id, "not_pending");
    return claim;
  }

  /** An entry stored earlier under this id must equal the body; otherwise the id is taken. */
  #mustBeSame(seq: number, body: PostedBody): MaybePromise<void> {
    return andThen(
      this.#runtime.log.pages.entryAt(seq),
      ({ seq: _seq, v: _v, at: _at, id, ...stored }) => {
        // A waiting message is the same one, whichever queue it was meant for.
        const isSame = isQueued(stored.type) && isQueued(body.type);
        const { type, ...said } = withoutSender(body);
        const { type: storedType, ...before } = withoutSender(stored);
        // Earlier versions stored the metadata of an input in its messages only.
        if (!("metadata" in before) && "metadata" in said) delete said.metadata;
        if ((!isSame && type !== storedType) || !isSameJson(before, said)) throw taken(id);
      },
    );
  }

  /** Message ids are unique: a new message must not use the id of an existing one. */
  mustBeFree(messageId: string): MaybePromise<void> {
    if (!this.fold.transcript.has(messageId)) return;
    // If the id was posted before, the store finds it.
    return readAll(this.#runtime.log).then((entries) => {
      if (!entries.some((entry) => entry.id === messageId)) throw taken(messageId);
    });
  }

  /** Checks media against the model of the next turn, if it is known now. */
  #checkMedia(body: PostedBody): void {
    const messages = messagesIn(body);
    if (messages.every(isPlain)) return;
    const { config } = this.fold;
    const name = body.type === "input" ? body.options?.model : undefined;
    const agent = this.#host.agent(this.fold.agent);
    checkMedia(messages, agent.mediaLimits(name ?? config.model, this.#runtime.given.models));
  }

  /** Throws if this entry was refused, unless the reason is `except`. */
  check(entryId: string, except?: Refusal): void {
    const refusal = this.#runtime.log.fold.refusalOf(entryId);
    if (refusal !== undefined && refusal !== except) throw refused(this.#runtime.id, refusal);
  }

  /** For answers, which make no sense in a session without a message. */
  mustExist(): void {
    if (this.#origin === undefined) return;
    const sessionId = this.#runtime.id;
    const message = `Session ${sessionId} has no turn yet: there is nothing to answer. Send a message first`;
    throw new SessionError("not_pending", message, { sessionId });
  }

  #create(origin: SessionOrigin): MaybePromise<void> {
    const { log } = this.#runtime;
    const at = this.#host.clock.now();
    const id = (this.#createdId ??= this.#host.newId());
    const created = orElse(
      () => log.create(firstEntries(origin, id, at), headOfNew(origin, id, at)),
      (thrown) => this.#findCreated(id, thrown),
    );
    return andThen(created, () => this.#onCreated());
  }

  /** An earlier attempt may have reached the store even though its response did not reach this process. */
  #findCreated(id: string, thrown: unknown): MaybePromise<void> {
    if (!isRepositoryError(thrown) || thrown.code !== "exists") throw thrown;
    const { log } = this.#runtime;
    return andThen(log.catchUp(), () => {
      if (log.fold.created?.id !== id) throw thrown;
    });
  }

  #onCreated(): void {
    this.#origin = undefined;
    this.#preview = undefined;
    this.#runtime.attend();
  }
}

function isQueued(type: string): boolean {
  return type === "steer" || type === "follow_up";
}

function messagesIn(body: PostedBody): readonly ChatMessage[] {
  if (body.type === "steer" || body.type === "follow_up") return [body.message];
  return body.type === "input" ? body.messages : none;
}

const none: readonly ChatMessage[] = [];

function isPlain(message: ChatMessage): boolean {
  return message.role !== "user" || typeof message.content === "string";
}

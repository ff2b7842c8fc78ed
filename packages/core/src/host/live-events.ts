/** Live events of the turn that this process runs: shown to its readers, and sent to other processes that follow. */
import type { SessionEvent, SessionRepository } from "@capstan/log";
import type { Readers } from "../following/readers.ts";
import type { HeldLease } from "../owner/held-lease.ts";
import type { SessionLog } from "../owner/session-log.ts";

export class LiveEvents {
  readonly #log: SessionLog;
  readonly #readers: Readers;
  readonly #repository: SessionRepository;
  /** Lease under which another process follows. */
  #followed: HeldLease | undefined;

  constructor(log: SessionLog, readers: Readers, repository: SessionRepository) {
    this.#log = log;
    this.#readers = readers;
    this.#repository = repository;
  }

  /** Shows an event of the work under this lease, unless it is lost. */
  show(event: SessionEvent, heldLease: HeldLease): void {
    if (heldLease.isLost) return;
    const placed = this.#log.feed.live(event);
    this.#readers.show(placed);
    if (this.#followed !== heldLease) return;
    const frame = this.#log.feed.toFrame([placed]);
    if (frame !== undefined) this.#repository.sendLive?.(heldLease.lease, frame);
  }

  /** Sends a snapshot of the live content to other processes, and from then on every live event under this lease. */
  follow(heldLease: HeldLease): void {
    this.#followed = heldLease;
    // Between two turns there is nothing live.
    if (this.#log.fold.turn?.isOver !== false) return;
    this.#repository.sendLive?.(heldLease.lease, this.#log.feed.snapshotFrame());
  }
}

/** A `SessionRepository` of one's own, checked by the contract suite. */
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import type { Lease, NewEntry, SessionHead, SessionRepository, StoredEntry } from "@capstan/log";
import { checkEnvelope, checkEnvelopes, incarnationOf, invalidEntry, isDue } from "@capstan/log";
import { leaseOver, listPage, newestFirst, sessionExists, sessionGone } from "@capstan/log";
import { sessionNotFound, Wakeups } from "@capstan/log";
import { manualClock } from "@capstan/testing";
import { storeContract } from "@capstan/testing/stores";

interface Row {
  readonly id: string;
  readonly log: StoredEntry[];
  readonly blobs: Map<string, Uint8Array>;
  head: SessionHead;
  lastSeq: number;
  lastPostedSeq: number;
  epoch: number;
  owner?: string | undefined;
  leaseExpiresAt: number | undefined;
  lastOwned: number;
}

function myStore(now: () => number): SessionRepository {
  const rows = new Map<string, Row>();
  const wakeups = new Wakeups();
  let deletedEpoch = 0;

  const find = (id: string, incarnation?: string): Row => {
    const row = rows.get(id);
    if (row === undefined) throw sessionNotFound(id);
    const [first] = row.log;
    if (incarnation === undefined || first === undefined) return row;
    if (incarnationOf(first) !== incarnation) throw sessionGone(id);
    return row;
  };
  const add = (row: Row, entry: NewEntry): number => {
    row.lastSeq += 1;
    row.log.push({ ...entry, seq: row.lastSeq });
    return row.lastSeq;
  };
  const seqOf = (row: Row, id: string) => row.log.find((entry) => entry.id === id)?.seq;
  const give = (row: Row, owner: string, ttlMs: number) => {
    const epoch = row.epoch + 1;
    Object.assign(row, { epoch, owner, leaseExpiresAt: now() + ttlMs, lastOwned: now() });
    return { lease: { sessionId: row.id, owner, epoch }, lastSeq: row.lastSeq, head: row.head };
  };
  const held = (lease: Lease, isLive: boolean): Row => {
    const row = find(lease.sessionId);
    const { leaseExpiresAt: end } = row;
    if (lease.epoch === row.epoch && end !== undefined && (!isLive || now() < end)) return row;
    throw leaseOver(row.id, lease, row.epoch);
  };

  return {
    create(id, entries, head) {
      checkEnvelopes(id, entries);
      if (rows.has(id)) throw sessionExists(id);
      const state = { lastSeq: 0, lastPostedSeq: 0, epoch: deletedEpoch, lastOwned: 0 };
      const row: Row = { id, log: [], blobs: new Map(), head, leaseExpiresAt: undefined, ...state };
      for (const entry of entries) add(row, entry);
      rows.set(id, row);
      wakeups.changed(id, row.lastSeq, row.log[0] && incarnationOf(row.log[0]));
    },
    append(id, entries, { lease, head, onlyIfSeq }) {
      const row = find(id);
      if (lease.sessionId !== id) throw leaseOver(id, lease, row.epoch);
      held(lease, true);
      checkEnvelopes(id, entries);
      const taken = entries.find((entry) => seqOf(row, entry.id) !== undefined);
      if (taken !== undefined) throw invalidEntry(id, `its id "${taken.id}" is taken`);
      const { lastSeq } = row;
      if (onlyIfSeq !== undefined && onlyIfSeq !== lastSeq) return { type: "conflict", lastSeq };
      const seqs = entries.map((entry) => add(row, entry));
      row.head = head ?? row.head;
      if (entries.length > 0) wakeups.changed(id);
      return { type: "appended", seqs, lastSeq: row.lastSeq };
    },
    post(id, entry, { incarnation } = {}) {
      const row = find(id, incarnation);
      checkEnvelope(id, entry);
      const first = seqOf(row, entry.id);
      if (first !== undefined) return { seq: first, isNew: false };
      row.lastPostedSeq = add(row, entry);
      wakeups.changed(id);
      return { seq: row.lastPostedSeq, isNew: true };
    },
    read(id, { after = 0, limit = Infinity } = {}) {
      const { log, lastSeq } = find(id);
      const entries = log.slice(Math.max(0, after), Math.max(0, after) + limit);
      return { entries, lastSeq, incarnation: log[0] && incarnationOf(log[0]) };
    },
    list: (query = {}) => listPage(newestFirst(rows.values()), query),
    delete(id) {
      deletedEpoch = Math.max(deletedEpoch, rows.get(id)?.epoch ?? 0);
      if (rows.delete(id)) wakeups.changed(id);
    },
    acquire(id, owner, ttlMs) {
      const row = find(id);
      const isLive = row.leaseExpiresAt !== undefined && now() < row.leaseExpiresAt;
      return isLive && row.owner !== owner ? undefined : give(row, owner, ttlMs);
    },
    renew(lease, ttlMs) {
      held(lease, false).leaseExpiresAt = now() + ttlMs;
    },
    release(lease) {
      const row = held(lease, true);
      Object.assign(row, { owner: undefined, leaseExpiresAt: undefined, lastOwned: now() });
      return { lastSeq: row.lastSeq };
    },
    claimDue({ agents, owner, ttlMs, limit = 10 }) {
      const due = [...rows.values()].filter(
        (row) => agents.includes(row.head.agent) && isDue(row, now()),
      );
      due.sort((a, b) => a.lastOwned - b.lastOwned);
      return due.slice(0, limit).map((row) => give(row, owner, ttlMs));
    },
    putBlob(id, bytes, { incarnation } = {}) {
      const ref = createHash("sha256").update(bytes).digest("hex");
      find(id, incarnation).blobs.set(ref, new Uint8Array(bytes));
      return ref;
    },
    getBlob: (id, ref, range) => rows.get(id)?.blobs.get(ref)?.slice(range?.start, range?.end),
    subscribe: (id, listener, options) => wakeups.subscribe(id, listener, options),
  };
}

function create() {
  const clock = manualClock();
  return { repository: myStore(clock.now), ...clock };
}
storeContract("my store", create, { describe, test });

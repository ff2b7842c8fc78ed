/** Tables of a session database. Changes are new entries at the end; released ones never change. */

/** In the file's header: "CAPS". Databases of other programs are not touched. */
export const applicationId = 0x43_41_50_53;

/**
 * `user_version` stores how many of them a file has.
 *
 * The key of an entry (`place`) combines its session's number and its seq in one integer, so that a log is stored together and in order. A
 * session is due at `due_at`, unless that is null: not before its lease ends, at once if it is running or has new posts, else at `wake_at`.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE sessions (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    last_seq INTEGER NOT NULL,
    last_posted INTEGER NOT NULL DEFAULT 0,
    head TEXT NOT NULL,
    status TEXT NOT NULL,
    agent TEXT NOT NULL,
    principal TEXT,
    seen INTEGER NOT NULL,
    wake_at REAL,
    updated_at REAL NOT NULL,
    epoch INTEGER NOT NULL,
    owner TEXT,
    expires_at REAL,
    holder INTEGER,
    due_at REAL GENERATED ALWAYS AS (
      CASE
        WHEN status = 'running' OR last_posted > seen THEN coalesce(expires_at, 0)
        ELSE max(wake_at, coalesce(expires_at, 0))
      END
    ) VIRTUAL
  ) STRICT;
  CREATE INDEX sessions_by_age ON sessions (updated_at, id);
  CREATE INDEX sessions_of_principal ON sessions (principal, updated_at, id) WHERE principal IS NOT NULL;
  CREATE INDEX sessions_due ON sessions (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX sessions_held ON sessions (holder) WHERE holder IS NOT NULL;

  CREATE TABLE entries (
    place INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX entries_by_id ON entries (session, id);

  CREATE TABLE blobs (
    session INTEGER NOT NULL,
    ref TEXT NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX blobs_by_ref ON blobs (session, ref);

  CREATE TABLE processes (
    n INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE
  ) STRICT;

  CREATE TABLE deleted (last_epoch INTEGER NOT NULL) STRICT;
  INSERT INTO deleted VALUES (0);

  CREATE TABLE notes (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    sender TEXT NOT NULL,
    sent_at REAL NOT NULL,
    notes TEXT NOT NULL
  ) STRICT;
  `,
  // Tells sessions of the same id apart. Older sessions get the id of their first entry.
  `
  ALTER TABLE sessions ADD COLUMN incarnation TEXT;
  UPDATE sessions SET incarnation = (SELECT e.id FROM entries e WHERE e.place = (sessions.n << 32) | 1);
  `,
  // `last_owned`: time of the last acquire or release. The lowest is claimed first.
  `
  DROP INDEX sessions_due;
  ALTER TABLE sessions DROP COLUMN due_at;
  ALTER TABLE sessions ADD COLUMN set_aside INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN last_owned REAL NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN due_at REAL GENERATED ALWAYS AS (
    CASE
      WHEN set_aside = 1 THEN NULL
      WHEN status = 'running' OR last_posted > seen THEN coalesce(expires_at, 0)
      ELSE max(wake_at, coalesce(expires_at, 0))
    END
  ) VIRTUAL;
  CREATE INDEX sessions_due ON sessions (due_at) WHERE due_at IS NOT NULL;
  `,
  // CRC-32 of `body`. Older entries have none.
  `
  ALTER TABLE entries ADD COLUMN checksum INTEGER;
  `,
];

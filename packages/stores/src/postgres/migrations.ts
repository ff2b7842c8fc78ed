/** Tables of sessions in PostgreSQL. Changes are new entries at the end; released ones never change. */

/**
 * `<schema>.migrations` stores how many of them a schema has.
 *
 * Times are milliseconds of the database's clock. A session is due at `due_at`, unless that is null: not before its lease ends, at once if
 * it is running or has new posts, else at `wake_at`. Every append updates the session's row: the free space on its page keeps that cheap.
 */
export const migrations: readonly ((schema: string) => string)[] = [
  (schema) => `
  CREATE TABLE ${schema}.sessions (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL,
    last_seq integer NOT NULL,
    last_posted integer NOT NULL DEFAULT 0,
    head text NOT NULL,
    status text NOT NULL,
    agent text NOT NULL,
    principal text,
    seen integer NOT NULL,
    wake_at double precision,
    updated_at double precision NOT NULL,
    epoch bigint NOT NULL DEFAULT 0,
    owner text,
    expires_at double precision,
    due_at double precision GENERATED ALWAYS AS (
      CASE
        WHEN status = 'running' OR last_posted > seen THEN coalesce(expires_at, 0)
        WHEN wake_at IS NOT NULL THEN greatest(wake_at, expires_at)
      END
    ) STORED,
    CONSTRAINT sessions_by_id UNIQUE (id)
  ) WITH (fillfactor = 70);
  CREATE INDEX sessions_by_age ON ${schema}.sessions (updated_at, id);
  CREATE INDEX sessions_of_principal ON ${schema}.sessions (principal, updated_at, id) WHERE principal IS NOT NULL;
  CREATE INDEX sessions_due ON ${schema}.sessions (due_at) WHERE due_at IS NOT NULL;
  CREATE SEQUENCE ${schema}.epochs;

  CREATE TABLE ${schema}.entries (
    session bigint NOT NULL,
    seq integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (session, seq),
    CONSTRAINT entries_by_id UNIQUE (session, id)
  );

  CREATE TABLE ${schema}.blobs (
    session bigint NOT NULL,
    ref text COLLATE "C" NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (session, ref)
  );
  ALTER TABLE ${schema}.blobs ALTER COLUMN bytes SET STORAGE EXTERNAL;

  CREATE UNLOGGED TABLE ${schema}.notes (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sent_at timestamptz NOT NULL DEFAULT now(),
    notes text NOT NULL
  );
  `,
  // Tells sessions of the same id apart. Older sessions get the id of their first entry.
  (schema) => `
  ALTER TABLE ${schema}.sessions ADD COLUMN incarnation text COLLATE "C";
  UPDATE ${schema}.sessions SET incarnation = e.id FROM ${schema}.entries e WHERE e.session = n AND e.seq = 1;
  `,
  // `last_owned`: time of the last acquire or release. The lowest is claimed first.
  (schema) => `
  ALTER TABLE ${schema}.sessions DROP COLUMN due_at,
    ADD COLUMN set_aside integer NOT NULL DEFAULT 0,
    ADD COLUMN last_owned double precision NOT NULL DEFAULT 0;
  ALTER TABLE ${schema}.sessions ADD COLUMN due_at double precision GENERATED ALWAYS AS (
    CASE
      WHEN set_aside = 1 THEN NULL
      WHEN status = 'running' OR last_posted > seen THEN coalesce(expires_at, 0)
      WHEN wake_at IS NOT NULL THEN greatest(wake_at, expires_at)
    END
  ) STORED;
  CREATE INDEX sessions_due ON ${schema}.sessions (due_at) WHERE due_at IS NOT NULL;
  `,
  // Old notes are found without reading the others; those who poll pass by their own.
  (schema) => `
  ALTER TABLE ${schema}.notes ADD COLUMN sender text;
  CREATE INDEX notes_by_age ON ${schema}.notes (sent_at);
  `,
  // `guard`: key of the advisory lock that the owner's process holds while it is alive. `owners` has all keys, until their leases have ended.
  (schema) => `
  ALTER TABLE ${schema}.sessions ADD COLUMN guard bigint;
  CREATE UNLOGGED TABLE ${schema}.owners (guard bigint PRIMARY KEY);
  `,
];

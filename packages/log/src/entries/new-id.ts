/** Ids of sessions, turns and posted entries: short, as the ids of tool calls begin with them and go into every request. */

const alphabet = "0123456789abcdefghijklmnopqrstuv";
const length = 16;

/** Asking the system for chance costs more than making an id of it, so it is asked for many at once. */
const pool = new Uint8Array(length * 64);
let used = pool.length;

/** 80 bits of chance in 16 characters. */
export function newId(): string {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  let id = "";
  // 32 letters, so five bits of each byte choose one without a bias.
  for (const end = used + length; used < end; used++) id += alphabet[(pool[used] as number) & 31];
  return id;
}

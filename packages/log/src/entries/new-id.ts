/** Ids of sessions, turns and posted entries: short, because the ids of tool calls begin with them and are part of every request. */

const alphabet = "0123456789abcdefghijklmnopqrstuv";
const length = 16;

/** Ids made at once: random bytes cost more per request than per byte, and a slice of a text costs less than a text built letter by letter. */
const batch = 64;
let pool = "";
let used = 0;

/** Creates an id: 80 random bits in 16 characters. */
export function newId(): string {
  if (used === pool.length) {
    const bytes = crypto.getRandomValues(new Uint8Array(length * batch));
    // 32 letters, so five bits of each byte choose one without a bias.
    pool = Array.from(bytes, (byte) => alphabet[byte & 31]).join("");
    used = 0;
  }
  used += length;
  return pool.slice(used - length, used);
}

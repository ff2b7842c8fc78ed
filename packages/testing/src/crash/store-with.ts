/** A store with some methods replaced; the others delegate to the original store. */
import type { SessionRepository } from "@capstan/log";

export function storeWith(
  store: SessionRepository,
  replaced: Partial<SessionRepository>,
): SessionRepository {
  return {
    create: (...args) => store.create(...args),
    append: (...args) => store.append(...args),
    post: (...args) => store.post(...args),
    read: (...args) => store.read(...args),
    list: (...args) => store.list(...args),
    delete: (...args) => store.delete(...args),
    acquire: (...args) => store.acquire(...args),
    renew: (...args) => store.renew(...args),
    release: (...args) => store.release(...args),
    claimDue: (...args) => store.claimDue(...args),
    putBlob: (...args) => store.putBlob(...args),
    getBlob: (...args) => store.getBlob(...args),
    subscribe: (...args) => store.subscribe(...args),
    sendLive: (...args) => store.sendLive?.(...args),
    ...replaced,
  };
}

/** A store on this machine as the contract wants it: empty, on a clock that the test moves, and with as many handles as it asks for. */
import type { StoreHandle } from "@capstan/stores/sqlite";
import type { StoreUnderTest } from "@capstan/testing/stores";
import { manualClock } from "@capstan/testing";
import { temporaryFolder } from "./temporary-folder.ts";

type Open = (folder: string, options: { readonly now: () => number }) => StoreHandle;

export function localStore(open: Open): StoreUnderTest {
  const { now, advance } = manualClock();
  const folder = temporaryFolder();
  const handles: StoreHandle[] = [];
  const reopen = (): StoreHandle => {
    const handle = open(folder.path, { now });
    handles.push(handle);
    return handle;
  };
  const close = async (): Promise<void> => {
    for (const handle of handles) await handle.close();
    folder[Symbol.dispose]();
  };
  return { repository: reopen(), reopen, now, advance, readsFromCheckpoints: true, close };
}

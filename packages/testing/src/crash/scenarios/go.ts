/** First action of most scenarios. */
import type { ClientAction } from "../scenario.ts";

export const go: ClientAction & { readonly do: "send" } = {
  when: "start",
  do: "send",
  id: "t1",
  text: "Go",
};

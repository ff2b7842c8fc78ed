/** The process that `takeover.ts` kills: all of its turns stand still. */
import type { TakeoverOrder } from "./takeover-host.ts";
import { createStandingHost } from "./takeover-host.ts";

const order = JSON.parse(process.argv[2] ?? "{}") as TakeoverOrder;
let standing = 0;
const { host } = createStandingHost(order, () => {
  standing += 1;
  if (standing === order.sessions) process.send?.("standing");
  return new Promise(() => {});
});
for (let i = 0; i < order.sessions; i += 1) {
  const turn = host.createSession({ agent: "stander", id: `s${i}` }).send("Stand still");
  turn.response.then(console.error, console.error);
}

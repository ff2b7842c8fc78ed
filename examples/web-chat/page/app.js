/** The page: follows one session, shows it, and sends what the user does. */
import { connect, lendTool } from "@capstan/client";
import { composer } from "./composer.js";
import { toItems } from "./conversation.js";
import { element, find, setText } from "./dom.js";
import { followEnd } from "./follow-end.js";
import { messageList } from "./messages.js";
import { announcementOf } from "./announcements.js";

const localTime = lendTool({
  name: "local_time",
  description: "Tells the date, the time and the time zone of the user",
  input: { type: "object", properties: {} },
  effect: "pure",
  execute: () => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    return `${new Date().toLocaleString("en", { dateStyle: "full", timeStyle: "short" })}, ${timeZone}`;
  },
});

const client = connect({ url: location.origin, credentials: "same-origin", tools: [localTime] });
const address = new URL(location.href);
const known = address.searchParams.get("chat");
const session = known === null ? client.createSession() : client.session(known);

/** The address gets the id with the first message, so that the page can be loaded again. */
function keepAddress() {
  address.searchParams.set("chat", session.id);
  history.replaceState(undefined, "", address);
}

const problem = find(".problem", HTMLElement);
const status = find("[role=status]", HTMLElement);
const welcome = find(".welcome", HTMLElement);
const messages = find(".messages", HTMLElement);
const scrollToEnd = followEnd(find(".scroller", HTMLElement));
const field = composer({ send, stop: () => attempt(stop()) });

const showMessages = messageList((call, isApproved, reason) => {
  field.focus();
  const turn = isApproved ? session.approve(call) : session.deny(call, reason || undefined);
  attempt(report(turn));
});

/** @param {string} text */
function send(text) {
  setText(problem, "");
  keepAddress();
  const isRunning = session.state.status === "running";
  const sent = isRunning
    ? session
        .steer(text)
        .then(() => session.refresh())
        .then(show)
    : report(
        session.send(
          text,
          session.state.pendingToolCalls.length > 0 ? { ifPending: "settle" } : {},
        ),
      );
  follow();
  sent.catch((/** @type {Error} */ error) => {
    field.restore(text);
    showProblem(error);
  });
  scrollToEnd();
}

/** @param {ReturnType<typeof session.send>} turn */
async function report(turn) {
  const { error } = await turn.response;
  // Errors of the turn itself are in the state.
  if (error !== undefined && session.state.error === undefined) throw new Error(error.message);
}

async function stop() {
  const turn = await session.current();
  if (turn !== undefined) await session.abortTurn(turn.id);
}

/** @param {Promise<unknown>} promise */
function attempt(promise) {
  promise.catch(showProblem);
}

/** @param {Error} error */
function showProblem(error) {
  setText(problem, error.message);
  problem.hidden = false;
}

/** @type {(() => void) | undefined} */
let unfollow;

function follow() {
  unfollow ??= session.subscribe(show, { onError: showProblem });
}

let isLoaded = false;
let isScheduled = false;

/** Shows the state at the next frame: a reply may have many pieces in one. */
function show() {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    showNow();
  });
}

function showNow() {
  const { state } = session;
  const items = toItems(state);
  showMessages(messages, items);
  welcome.hidden = !isLoaded || items.length > 0;
  field.show(state.status === "running");
  if (state.error !== undefined) setText(problem, state.error.message);
  problem.hidden = problem.textContent === "";
  setText(status, announcementOf(state));
}

const suggestions = [
  "How does this page work?",
  "Search the library for knots",
  "Book a table for four",
  "What time is it here?",
];
for (const text of suggestions) {
  const button = element("button", { type: "button" }, [text]);
  button.addEventListener("click", () => {
    field.focus();
    send(text);
  });
  find(".suggestions", HTMLUListElement).append(element("li", {}, [button]));
}

// The first message creates a new session: before that there is nothing to follow.
if (known !== null) follow();
const loaded = known === null ? Promise.resolve() : session.refresh();
loaded.catch(showProblem).finally(() => {
  isLoaded = true;
  showNow();
  field.focus();
});

/** Shows one session and sends what the user writes. A reload shows the same conversation: its id is in the address. */
import { connect } from "@capstan/client";

const address = new URL(location.href);
const client = connect({ url: location.origin });
const known = address.searchParams.get("chat");
const session = known === null ? client.createSession() : client.session(known);

const list = document.querySelector("#messages");
const problem = document.querySelector("#problem");
const form = document.querySelector("form");
const field = document.querySelector("#text");

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = field.value;
  field.value = "";
  send(text).catch((error) => (problem.textContent = error.message));
});

async function send(text) {
  address.searchParams.set("chat", session.id);
  history.replaceState(undefined, "", address);
  const turn = session.send(text);
  for await (const _ of turn) show();
  const { error } = await turn.response;
  problem.textContent = error === undefined ? "" : error.message;
  show();
}

/** The session keeps its state up to date: all that is left is to draw it. */
function show() {
  const { messages, streamingMessage } = session.state;
  const shown = messages.filter(({ role }) => role === "user" || role === "assistant");
  if (streamingMessage !== undefined) shown.push({ role: "assistant", ...streamingMessage });
  list.replaceChildren(...shown.map(toElement).filter(({ textContent }) => textContent !== ""));
}

function toElement({ role, content }) {
  const element = document.createElement("p");
  element.className = role;
  element.textContent =
    typeof content === "string"
      ? content
      : content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return element;
}

if (known !== null) {
  await session.refresh();
  show();
}

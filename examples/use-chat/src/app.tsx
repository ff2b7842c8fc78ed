/** Loads the conversation that the address names, or begins one. */
import { generateId } from "ai";
import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import { Conversation } from "./conversation.tsx";
import type { History } from "./history.ts";
import { emptyHistory, loadHistory } from "./history.ts";

const address = new URL(location.href);
const known = address.searchParams.get("chat");
const id = known ?? generateId();

/** The address gets the id with the first message, so that the page can be loaded again. */
function keepAddress(): void {
  address.searchParams.set("chat", id);
  history.replaceState(undefined, "", address);
}

export function App(): ReactNode {
  const [loaded, setLoaded] = useState<History | undefined>(
    known === null ? emptyHistory : undefined,
  );
  const [problem, setProblem] = useState("");
  useEffect(() => {
    if (known !== null) {
      loadHistory(id).then(setLoaded, (error: Error) => setProblem(error.message));
    }
  }, []);
  return (
    <div className="app">
      <header className="bar">
        <h1>Capstan and useChat</h1>
        <a className="button quiet" href="/">
          New chat
        </a>
      </header>
      {loaded === undefined ? (
        <main className="column">{problem !== "" && <p role="alert">{problem}</p>}</main>
      ) : (
        <Conversation id={id} history={loaded} onFirstMessage={keepAddress} />
      )}
    </div>
  );
}

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "../../chat-demo/chat.css";
import { App } from "./app.tsx";

const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

/** All commands, files and texts of a script: exactly if it can be read so, else as far as they can be found. */
import type { FoundCommands, FoundFile, FoundWord } from "./commands-in.ts";
import { commandsIn } from "./commands-in.ts";
import { readScript } from "./read-script.ts";
import type { Redirection, ScriptNode, ScriptWord } from "./script.ts";

export function foundIn(text: string): FoundCommands {
  const script = readScript(text);
  if (script.type === "notSure") return commandsIn(text);
  const commands: (readonly FoundWord[])[] = [];
  const files: FoundFile[] = [];
  const texts: FoundWord[] = [];
  const addRedirections = (redirections: readonly Redirection[]): void => {
    for (const { type, path, content } of redirections) {
      if (type === "text") texts.push(content);
      else if (type !== "copy") files.push({ path: toFound(path), isWritten: type === "write" });
    }
  };
  const visit = (node: ScriptNode): void => {
    switch (node.type) {
      case "simple":
        if (node.words.length > 0) commands.push(node.words.map(toFound));
        return addRedirections(node.redirections);
      case "and":
      case "or":
      case "then":
        visit(node.first);
        return visit(node.second);
      case "not":
        return visit(node.inner);
      case "redirected":
        addRedirections(node.redirections);
        return visit(node.inner);
      case "apart":
      case "loop":
        return node.parts.forEach(visit);
      case "test":
        commands.push(["[[", ...node.words.map(toFound)]);
        return;
      case "expanded":
        node.substitutions.forEach(visit);
        return visit(node.inner);
      case "if":
        visit(node.condition);
        visit(node.body);
        return node.otherwise && visit(node.otherwise);
      default:
        return node satisfies never;
    }
  };
  visit(script.root);
  return { commands, files, texts, isWhole: true };
}

function toFound({ text, isKnown }: ScriptWord): FoundWord {
  return isKnown ? text : undefined;
}

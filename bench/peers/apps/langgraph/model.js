/** A model of LangChain that follows the script. */
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { steps } from "../refund-script.js";

let step = 0;

class ScriptModel extends BaseChatModel {
  _llmType() {
    return "script";
  }

  bindTools() {
    return this;
  }

  async _generate() {
    const { id, tool, input, text = "" } = steps[step++];
    const calls = tool === undefined ? [] : [{ id, name: tool, args: input }];
    const message = new AIMessage({ content: text, tool_calls: calls });
    return { generations: [{ text, message }] };
  }
}

export const model = new ScriptModel({});

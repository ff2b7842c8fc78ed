/** An agent, a session and a reader of its events, as a user of ours writes them. */
import type { AnyTool, SessionEvent } from "@capstan/core";
import { createAgent, createSession } from "@capstan/core";
import type { ToolContract } from "@capstan/kernel";
import { offlineProvider } from "@capstan/providers/offline";
import { lsTool, readTool } from "@capstan/toolset";
import { summary } from "./schemas.ts";
import * as desk from "./tools.ts";

const orders = [desk.searchOrders, desk.readOrder, desk.createOrder, desk.changeOrder];
const money = [desk.refund, desk.capturePayment, desk.listPayments, desk.createInvoice];
const tickets: readonly AnyTool[] = [desk.openTicket, desk.replyTicket, desk.closeTicket];
const remote: ToolContract = {
  name: "ask_user",
  description: "Asks the user",
  inputSchema: { type: "object" },
};

const agent = createAgent({
  name: "desk",
  model: offlineProvider(),
  instructions: "You work at the support desk of a shop.",
  tools: [
    ...orders,
    ...money,
    ...tickets,
    desk.findCustomer,
    desk.updateCustomer,
    desk.mergeCustomers,
    desk.listAddresses,
    desk.cancelOrder,
    desk.splitOrder,
    desk.checkStock,
    desk.reserveStock,
    desk.moveStock,
    desk.planDelivery,
    desk.trackParcel,
    desk.searchTickets,
    desk.assignTicket,
    desk.findColleague,
    desk.scheduleCall,
    desk.writeNote,
    desk.runReport,
    desk.exportData,
    desk.setAlert,
    { ...desk.setAlert, name: "set_quiet_alert" },
    lsTool(),
    readTool(),
    remote,
  ],
  output: summary,
  budgets: { steps: 20 },
});

/** Every event is handled, or this does not compile. */
export function describe(event: SessionEvent): string {
  switch (event.type) {
    case "turn_start":
      return event.turnId;
    case "turn_end":
      return event.error?.message ?? event.finishReason;
    case "step_start":
    case "step_end":
      return `step ${event.step}`;
    case "attempt_start":
    case "attempt_discarded":
      return `attempt ${event.attempt}`;
    case "message_start":
      return event.role;
    case "message_end":
      return event.message.role;
    case "text_delta":
    case "thinking_delta":
    case "toolcall_delta":
    case "tool_execution_delta":
      return event.delta;
    case "text_end":
      return event.text;
    case "thinking_end":
      return event.thinking;
    case "toolcall_start":
      return event.name;
    case "toolcall_end":
      return event.toolCall.name;
    case "tool_execution_start":
    case "tool_execution_end":
    case "nested_call_start":
    case "nested_call_end":
      return event.toolName;
    case "awaiting_tool_execution":
      return event.pending.map((call) => call.toolName).join();
    case "steering_delivered":
    case "steering_returned":
      return event.ids.join();
    case "compaction_end":
      return event.through;
    case "compaction_failed":
      return event.reason;
    case "context_evicted":
      return event.toolCallIds.join();
    case "history_rewound":
      return event.to ?? "";
    case "handed_off":
      return event.agent;
    case "child_started":
    case "child_waiting":
    case "child_ended":
      return event.childId;
    case "abort":
      return event.reason ?? "";
    case "error":
      return event.error.code ?? event.error.message;
    case "snapshot":
      return event.message?.id ?? "";
    case "text_start":
    case "thinking_start":
    case "compaction_start":
    case "settled":
      return event.type;
    default:
      return event satisfies never;
  }
}

const session = createSession({ agent });
for await (const event of session.send("What is open?")) console.log(describe(event));
const { output } = await agent.runTurn({ input: "And what is owed?" }).response;
console.log(await agent.run("Thanks"), output);

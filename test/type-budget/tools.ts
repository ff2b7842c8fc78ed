/** Thirty tools, each with the input of its schema. */
import { defineTool } from "@capstan/core";
import * as inputs from "./schemas.ts";

export const findCustomer = defineTool({
  name: "find_customer",
  description: "Finds customers",
  input: inputs.findCustomer,
  effect: "pure",
  execute: (input) => input.fields?.join() ?? input.filter.all.length,
});

export const updateCustomer = defineTool({
  name: "update_customer",
  description: "Changes what is known of a customer",
  input: inputs.updateCustomer,
  execute: (input) => input.address?.city ?? input.id,
});

export const mergeCustomers = defineTool({
  name: "merge_customers",
  description: "Makes one customer of several",
  input: inputs.mergeCustomers,
  execute: (input) => `${input.keep} ${input.merge.join()}`,
});

export const listAddresses = defineTool({
  name: "list_addresses",
  description: "Lists the addresses of a customer",
  input: inputs.listAddresses,
  execute: (input) => `${input.customerId} ${input.limit}`,
});

export const searchOrders = defineTool({
  name: "search_orders",
  description: "Finds orders",
  input: inputs.searchOrders,
  effect: "pure",
  execute: (input) => input.placed?.from.getTime() ?? input.cursor,
});

export const readOrder = defineTool({
  name: "read_order",
  description: "Reads an order",
  input: inputs.readOrder,
  effect: "pure",
  execute: (input) => input.include.map((part) => `${input.orderId} ${part}`),
});

export const createOrder = defineTool({
  name: "create_order",
  description: "Places an order",
  input: inputs.createOrder,
  execute: (input) => (input.lines[0]?.price.amount ?? 0) + input.lines.length,
});

export const changeOrder = defineTool({
  name: "change_order",
  description: "Changes an order",
  input: inputs.changeOrder,
  execute: (input) => input.changes.lines?.[0]?.sku ?? input.orderId,
});

export const cancelOrder = defineTool({
  name: "cancel_order",
  description: "Cancels an order",
  input: inputs.cancelOrder,
  needsApproval: (input) => input.orderId !== "o-1",
  execute: (input) => `${input.orderId} ${input.reason}`,
});

export const splitOrder = defineTool({
  name: "split_order",
  description: "Makes several orders of one",
  input: inputs.splitOrder,
  execute: (input) => input.parts.map((part) => part.shipTo.city),
});

export const refund = defineTool({
  name: "refund",
  description: "Pays money back",
  input: inputs.refund,
  needsApproval: (input) => input.orderId !== "o-1",
  execute: (input) => input.total?.amount ?? input.lines?.length ?? 0,
});

export const capturePayment = defineTool({
  name: "capture_payment",
  description: "Takes a payment",
  input: inputs.capturePayment,
  execute: (input) => (input.payment.method === "card" ? input.payment.token : input.partial),
});

export const listPayments = defineTool({
  name: "list_payments",
  description: "Lists payments",
  input: inputs.listPayments,
  execute: (input) => input.filter.any?.length ?? input.customerId ?? "",
});

export const createInvoice = defineTool({
  name: "create_invoice",
  description: "Writes an invoice",
  input: inputs.createInvoice,
  execute: (input) => input.terms?.method ?? input.to.name,
});

export const checkStock = defineTool({
  name: "check_stock",
  description: "Says what is in stock",
  input: inputs.checkStock,
  execute: (input) => `${input.skus[0]} ${input.near.country}`,
});

export const reserveStock = defineTool({
  name: "reserve_stock",
  description: "Keeps goods for somebody",
  input: inputs.reserveStock,
  execute: (input) => input.until.toISOString() + String(input.lines.length),
});

export const moveStock = defineTool({
  name: "move_stock",
  description: "Moves goods",
  input: inputs.moveStock,
  execute: (input) => input.moves.map((move) => move.line.count),
});

export const planDelivery = defineTool({
  name: "plan_delivery",
  description: "Plans a delivery",
  input: inputs.planDelivery,
  execute: (input) => input.stops.map((stop) => stop.geo?.[0] ?? input.window.from.getTime()),
});

export const trackParcel = defineTool({
  name: "track_parcel",
  description: "Says where a parcel is",
  input: inputs.trackParcel,
  execute: (input) => ("code" in input.parcel ? input.parcel.code : input.parcel.orderId),
});

export const searchTickets = defineTool({
  name: "search_tickets",
  description: "Finds tickets",
  input: inputs.searchTickets,
  execute: (input) => input.seen.to?.getTime() ?? input.open ?? false,
});

export const openTicket = defineTool({
  name: "open_ticket",
  description: "Opens a ticket",
  input: inputs.openTicket,
  execute: (input) => ("id" in input.about ? input.about.id : input.priority),
});

export const replyTicket = defineTool({
  name: "reply_ticket",
  description: "Answers a ticket",
  input: inputs.replyTicket,
  execute: (input) =>
    input.parts.map((part) => (part.type === "refund" ? part.refund.orderId : part.type)),
});

export const assignTicket = defineTool({
  name: "assign_ticket",
  description: "Gives a ticket to somebody",
  input: inputs.assignTicket,
  execute: (input) => (input.to.kind === "team" ? input.to.team : input.to.email),
});

export const closeTicket = defineTool({
  name: "close_ticket",
  description: "Closes a ticket",
  input: inputs.closeTicket,
  execute: (input) => input.follow?.kind ?? input.outcome,
});

export const findColleague = defineTool({
  name: "find_colleague",
  description: "Finds somebody of the team",
  input: inputs.findColleague,
  execute: (input) => Object.entries(input.skills).map(([skill, level]) => `${skill} ${level}`),
});

export const scheduleCall = defineTool({
  name: "schedule_call",
  description: "Makes an appointment",
  input: inputs.scheduleCall,
});

export const writeNote = defineTool({
  name: "write_note",
  description: "Writes a note",
  input: inputs.writeNote,
  execute: (input) => ("ticketId" in input.on ? input.on.ticketId : input.on.orderId),
});

export const runReport = defineTool({
  name: "run_report",
  description: "Counts and sums",
  input: inputs.runReport,
  execute: (input) => input.groups.map(([field, by]) => `${field} ${by ?? ""}`),
});

export const exportData = defineTool({
  name: "export_data",
  description: "Writes a file",
  input: inputs.exportData,
  execute: (input) => `${input.format} ${input.columns.length} ${input.to.kind}`,
});

export const setAlert = defineTool({
  name: "set_alert",
  description: "Watches something",
  input: inputs.setAlert,
  execute: (input) => input.when.all.map((one) => (one.op === "in" ? one.values[0] : one.field)),
});

/** The same work without us: each input has the type that its schema gives. What this costs is zod's share. */
import type { z } from "zod";
import type * as inputs from "./schemas.ts";

type Input<Name extends keyof typeof inputs> = z.output<(typeof inputs)[Name]>;

export const handlers = {
  find_customer: (input: Input<"findCustomer">) => input.fields?.join() ?? input.filter.all.length,
  update_customer: (input: Input<"updateCustomer">) => input.address?.city ?? input.id,
  merge_customers: (input: Input<"mergeCustomers">) => `${input.keep} ${input.merge.join()}`,
  list_addresses: (input: Input<"listAddresses">) => `${input.customerId} ${input.limit}`,
  search_orders: (input: Input<"searchOrders">) => input.placed?.from.getTime() ?? input.cursor,
  read_order: (input: Input<"readOrder">) =>
    input.include.map((part) => `${input.orderId} ${part}`),
  create_order: (input: Input<"createOrder">) =>
    (input.lines[0]?.price.amount ?? 0) + input.lines.length,
  change_order: (input: Input<"changeOrder">) => input.changes.lines?.[0]?.sku ?? input.orderId,
  cancel_order: (input: Input<"cancelOrder">) => `${input.orderId} ${input.reason}`,
  split_order: (input: Input<"splitOrder">) => input.parts.map((part) => part.shipTo.city),
  refund: (input: Input<"refund">) => input.total?.amount ?? input.lines?.length ?? 0,
  capture_payment: (input: Input<"capturePayment">) =>
    input.payment.method === "card" ? input.payment.token : input.partial,
  list_payments: (input: Input<"listPayments">) =>
    input.filter.any?.length ?? input.customerId ?? "",
  create_invoice: (input: Input<"createInvoice">) => input.terms?.method ?? input.to.name,
  check_stock: (input: Input<"checkStock">) => `${input.skus[0]} ${input.near.country}`,
  reserve_stock: (input: Input<"reserveStock">) =>
    input.until.toISOString() + String(input.lines.length),
  move_stock: (input: Input<"moveStock">) => input.moves.map((move) => move.line.count),
  plan_delivery: (input: Input<"planDelivery">) =>
    input.stops.map((stop) => stop.geo?.[0] ?? input.window.from.getTime()),
  track_parcel: (input: Input<"trackParcel">) =>
    "code" in input.parcel ? input.parcel.code : input.parcel.orderId,
  search_tickets: (input: Input<"searchTickets">) =>
    input.seen.to?.getTime() ?? input.open ?? false,
  open_ticket: (input: Input<"openTicket">) =>
    "id" in input.about ? input.about.id : input.priority,
  reply_ticket: (input: Input<"replyTicket">) =>
    input.parts.map((part) => (part.type === "refund" ? part.refund.orderId : part.type)),
  assign_ticket: (input: Input<"assignTicket">) =>
    input.to.kind === "team" ? input.to.team : input.to.email,
  close_ticket: (input: Input<"closeTicket">) => input.follow?.kind ?? input.outcome,
  find_colleague: (input: Input<"findColleague">) =>
    Object.entries(input.skills).map(([skill, level]) => `${skill} ${level}`),
  schedule_call: (input: Input<"scheduleCall">) =>
    input.with.map((one) => `${one.kind} ${input.at.from.getTime()}`),
  write_note: (input: Input<"writeNote">) =>
    "ticketId" in input.on ? input.on.ticketId : input.on.orderId,
  run_report: (input: Input<"runReport">) =>
    input.groups.map(([field, by]) => `${field} ${by ?? ""}`),
  export_data: (input: Input<"exportData">) =>
    `${input.format} ${input.columns.length} ${input.to.kind}`,
  set_alert: (input: Input<"setAlert">) =>
    input.when.all.map((one) => (one.op === "in" ? one.values[0] : one.field)),
};

export const finished = ({ open, owed }: Input<"summary">): string =>
  `${open.map((ticket) => ticket.subject).join()} ${owed?.amount ?? 0}`;

/** The inputs of thirty tools of a shop's support desk, as people write them. Nothing of ours is used here. */
import { z } from "zod";

const money = z.object({ amount: z.number().min(0), currency: z.enum(["EUR", "USD", "GBP"]) });

const address = z.object({
  name: z.string(),
  lines: z.array(z.string()).min(1).max(4),
  city: z.string(),
  postcode: z.string().regex(/^[\w -]{3,10}$/),
  country: z.string().length(2).toUpperCase(),
  geo: z.tuple([z.number(), z.number()]).optional(),
});

const period = z.object({
  from: z.iso.datetime().transform((text) => new Date(text)),
  to: z.iso
    .datetime()
    .transform((text) => new Date(text))
    .optional(),
});

const page = z.object({
  limit: z.number().int().max(100).default(20),
  cursor: z.string().nullable().default(null),
});

const condition = z.discriminatedUnion("op", [
  z.object({ op: z.literal("is"), field: z.string(), value: z.union([z.string(), z.number()]) }),
  z.object({ op: z.literal("in"), field: z.string(), values: z.array(z.string()).nonempty() }),
  z.object({ op: z.literal("between"), field: z.string(), min: z.number(), max: z.number() }),
  z.object({ op: z.literal("during"), field: z.string(), period }),
]);

/** Refers to itself. */
const filter = z.object({
  all: z.array(condition).default([]),
  get any() {
    return z.array(filter).optional();
  },
});

const customer = z.object({
  id: z.string().brand<"CustomerId">(),
  email: z.email(),
  phone: z.string().optional(),
  address,
  tags: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});

const line = z.object({
  sku: z.string(),
  count: z.coerce.number().int().positive(),
  price: money,
  options: z.array(z.object({ name: z.string(), value: z.string().nullable() })).default([]),
});

const order = z.object({
  customer: customer.pick({ id: true, email: true }),
  lines: z.array(line).nonempty(),
  shipTo: address,
  billTo: address.partial().optional(),
  note: z.string().max(500).optional(),
});

const orderId = z.object({ orderId: z.string().startsWith("o-") });
const ticketId = z.object({ ticketId: z.string().startsWith("t-") });
const search = page.extend({ filter, sort: z.array(z.string()).optional() });

const payment = z.discriminatedUnion("method", [
  z.object({ method: z.literal("card"), token: z.string(), total: money }),
  z.object({ method: z.literal("transfer"), iban: z.string(), total: money, due: period }),
  z.object({ method: z.literal("voucher"), codes: z.array(z.string()).max(5) }),
]);

const recipient = z.union([
  z.object({ kind: z.literal("person"), email: z.email() }),
  z.object({ kind: z.literal("team"), team: z.string(), except: z.array(z.string()).optional() }),
]);

export const findCustomer = search.extend({ fields: z.array(customer.keyof()).optional() });
export const updateCustomer = customer.partial().required({ id: true });
export const mergeCustomers = z.object({ keep: customer.shape.id, merge: z.array(z.string()) });
export const listAddresses = page.extend({ customerId: customer.shape.id, country: z.string() });

export const searchOrders = search.extend({ placed: period.optional() });
export const readOrder = orderId.extend({ include: z.array(z.enum(["lines", "payments"])) });
export const createOrder = order.extend({ payment });
export const changeOrder = orderId.extend({ changes: order.partial().omit({ customer: true }) });
export const cancelOrder = orderId.extend({ reason: z.enum(["lost", "late", "other"]) });
export const splitOrder = orderId.extend({
  parts: z.array(order.pick({ lines: true, shipTo: true })).min(2),
});

export const refund = orderId.extend({ lines: z.array(line).optional(), total: money.optional() });
export const capturePayment = orderId.extend({ payment, partial: z.boolean().default(false) });
export const listPayments = search.extend({ customerId: customer.shape.id.optional() });
export const createInvoice = orderId.extend({ to: address, terms: payment.optional() });

export const checkStock = z.object({ skus: z.array(line.shape.sku).nonempty(), near: address });
export const reserveStock = z.object({ lines: z.array(line), until: period.shape.from });
export const moveStock = z.object({
  moves: z.array(z.object({ line, from: z.string(), to: z.string() })),
});
export const planDelivery = orderId.extend({ window: period, stops: z.array(address) });
export const trackParcel = z.object({ parcel: z.union([orderId, z.object({ code: z.string() })]) });

export const searchTickets = search.extend({ open: z.boolean().optional(), seen: period });
export const openTicket = z.object({
  about: z.union([orderId, customer.pick({ id: true })]),
  subject: z.string().trim().min(3),
  priority: z.enum(["low", "normal", "high"]).default("normal"),
});
export const replyTicket = ticketId.extend({
  parts: z.array(
    z.discriminatedUnion("type", [
      z.object({ type: z.literal("text"), text: z.string() }),
      z.object({ type: z.literal("order"), order: orderId }),
      z.object({ type: z.literal("refund"), refund }),
    ]),
  ),
});
export const assignTicket = ticketId.extend({ to: recipient, until: period.optional() });
export const closeTicket = ticketId.extend({ outcome: z.string(), follow: recipient.optional() });

export const findColleague = page.extend({
  skills: z.record(z.string(), z.number().min(1).max(5)),
});
export const scheduleCall = z.object({ with: z.array(recipient), at: period, topic: z.string() });
export const writeNote = z.object({ on: z.union([ticketId, orderId]), text: z.string() });

export const runReport = z.object({
  columns: z.array(z.object({ field: z.string(), sum: z.boolean().optional() })),
  rows: filter,
  groups: z.array(z.tuple([z.string(), z.enum(["day", "week", "month"]).nullable()])),
});
export const exportData = runReport.extend({ to: recipient, format: z.enum(["csv", "json"]) });
export const setAlert = z.object({ when: filter, tell: z.array(recipient), every: z.number() });

/** The answer of the agent. */
export const summary = z.object({
  done: z.array(z.object({ what: z.string(), order: orderId.optional() })),
  open: z.array(openTicket),
  owed: money.nullable(),
});

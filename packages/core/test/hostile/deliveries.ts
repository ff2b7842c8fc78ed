/** The ways in which code of others hands over a value. */

/** What a callback of a place does when it is called. */
export type Deliver = () => never;

export interface Delivery {
  readonly name: string;
  wrap(value: () => unknown): Deliver;
}

// What is returned is never what the types of the callbacks ask for: that is the point of it.
export const deliveries: readonly Delivery[] = [
  {
    name: "throws",
    wrap: (value) => () => {
      throw value();
    },
  },
  { name: "returns", wrap: (value) => value as Deliver },
  {
    name: "rejects",
    wrap: (value) =>
      (async () => {
        await Promise.resolve();
        throw value();
      }) as unknown as Deliver,
  },
];

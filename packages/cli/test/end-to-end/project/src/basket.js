/** What all items together cost. */
export function total(items) {
  let sum = 0;
  for (let i = 1; i < items.length; i += 1) sum += items[i].price * items[i].count;
  return sum;
}

/** Elements, and lists of elements that keep what has not changed. */

/**
 * Creates an element. Text becomes text nodes, never HTML.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Readonly<Record<string, string>>} [attributes]
 * @param {readonly (string | Node)[]} [children]
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, children = []) {
  const created = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    created.setAttribute(attribute, value);
  }
  created.append(...children);
  return created;
}

/**
 * Element that must be in the page.
 *
 * @template {HTMLElement} Kind
 * @param {string} selector
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function find(selector, kind) {
  const found = document.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${selector}`);
}

/**
 * Shows items as the children of an element: each keeps its element for as long as it is in the list, so focus, selection and folds stay.
 *
 * @template {{ readonly key: string }} Item
 * @param {(item: Item) => { readonly element: HTMLElement, update(item: Item): void }} create
 * @returns {(parent: HTMLElement, items: readonly Item[]) => void}
 */
export function keyedList(create) {
  /** @type {Map<string, ReturnType<typeof create>>} */
  const shown = new Map();
  return (parent, items) => {
    const keys = new Set(items.map(({ key }) => key));
    for (const [key, view] of shown) {
      if (keys.has(key)) continue;
      view.element.remove();
      shown.delete(key);
    }
    items.forEach((item, index) => {
      const view = shown.get(item.key) ?? create(item);
      shown.set(item.key, view);
      view.update(item);
      const there = parent.children[index] ?? null;
      if (there !== view.element) parent.insertBefore(view.element, there);
    });
  };
}

/**
 * Sets a text only if it is another one, so that screen readers hear it once.
 *
 * @param {Node} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

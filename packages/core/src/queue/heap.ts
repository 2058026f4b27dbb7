/** A binary heap of (time, value) pairs, earliest first. Entries with equal times are returned in insertion order. */
export class TimeHeap<T> {
  readonly #nodes: Node<T>[] = [];
  #sequence = 0;

  get size(): number {
    return this.#nodes.length;
  }

  peek(): { readonly at: number; readonly value: T } | undefined {
    return this.#nodes[0];
  }

  push(at: number, value: T): void {
    const node = { at, value, sequence: this.#sequence++ };
    let index = this.#nodes.length;
    this.#nodes.push(node);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = this.#nodes[parent] as Node<T>;
      if (!before(node, above)) break;
      this.#nodes[index] = above;
      index = parent;
    }
    this.#nodes[index] = node;
  }

  pop(): T | undefined {
    const first = this.#nodes[0];
    const last = this.#nodes.pop();
    if (first === undefined || last === undefined) return undefined;
    if (this.#nodes.length > 0) this.#sink(last);
    return first.value;
  }

  #sink(node: Node<T>): void {
    const nodes = this.#nodes;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= nodes.length) break;
      const right = nodes[child + 1];
      if (right !== undefined && before(right, nodes[child] as Node<T>)) child++;
      const below = nodes[child] as Node<T>;
      if (!before(below, node)) break;
      nodes[index] = below;
      index = child;
    }
    nodes[index] = node;
  }
}

interface Node<T> {
  readonly at: number;
  readonly value: T;
  readonly sequence: number;
}

function before<T>(a: Node<T>, b: Node<T>): boolean {
  return a.at < b.at || (a.at === b.at && a.sequence < b.sequence);
}

import { isJsonObject } from '../json.js';
import { setOwn } from '../patch/own.js';
import { compareElements, parseElement, type PathElement } from './path-element.js';

interface Node {
  /** Whether the path that ends at this element is in the set. */
  member: boolean;
  /** The part of the set below this element; undefined instead of an empty set. */
  children: FieldSet | undefined;
}

const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({});

/** A list of path elements in the notation of FieldsV1, such as `f:spec`, `k:{"name":"a"}`, `v:"x"`, `i:0`. */
export type Path = readonly PathElement[];

/**
 * A set of paths, as a tree. Sets are modified only while they are built (`insert`); all other operations return new sets that share parts.
 */
export class FieldSet {
  readonly #nodes = new Map<PathElement, Node>();
  /** The FieldsV1 object that was last created from the set. */
  #spelled: Record<string, unknown> | undefined;

  static of(...paths: readonly Path[]): FieldSet {
    const set = new FieldSet();
    for (const path of paths) set.insert(path);
    return set;
  }

  /** Adds a path. The root is never a member, because no field manager owns a whole object. */
  insert(path: Path): void {
    this.#insertFrom(path, 0);
  }

  #insertFrom(path: Path, start: number): void {
    const element = path[start];
    if (element === undefined) return;
    this.#spelled = undefined;
    let node = this.#nodes.get(element);
    if (!node) this.#nodes.set(element, (node = { member: false, children: undefined }));
    if (start === path.length - 1) node.member = true;
    else (node.children ??= new FieldSet()).#insertFrom(path, start + 1);
  }

  get isEmpty(): boolean {
    for (const node of this.#nodes.values()) if (node.member || (node.children && !node.children.isEmpty)) return false;
    return true;
  }

  has(element: PathElement): boolean {
    return this.#nodes.get(element)?.member ?? false;
  }

  hasPath(path: Path): boolean {
    const [first, ...rest] = path;
    if (first === undefined) return false;
    return rest.length === 0 ? this.has(first) : (this.below(first)?.hasPath(rest) ?? false);
  }

  below(element: PathElement): FieldSet | undefined {
    return this.#nodes.get(element)?.children;
  }

  /** Returns the union of both sets. If one set contains the other, returns that set itself. */
  union(other: FieldSet): FieldSet {
    if (this === other || other.#nodes.size === 0) return this;
    const out = new FieldSet();
    for (const [element, node] of this.#nodes) out.#nodes.set(element, node);
    let isMine = true;
    let isTheirs = this.#nodes.size <= other.#nodes.size;
    for (const [element, node] of other.#nodes) {
      const mine = this.#nodes.get(element);
      const children = mine?.children && node.children ? mine.children.union(node.children) : (mine?.children ?? node.children);
      const member = node.member || (mine?.member ?? false);
      isMine &&= mine !== undefined && member === mine.member && children === mine.children;
      isTheirs &&= member === node.member && children === node.children;
      out.#put(element, member, children);
    }
    if (isMine) return this;
    return isTheirs && out.#nodes.size === other.#nodes.size ? other : out;
  }

  intersection(other: FieldSet): FieldSet {
    if (other.#nodes.size === 0) return other;
    const out = new FieldSet();
    for (const [element, node] of this.#nodes) {
      const theirs = other.#nodes.get(element);
      if (!theirs) continue;
      const children = node.children && theirs.children ? node.children.intersection(theirs.children) : undefined;
      out.#put(element, node.member && theirs.member, children);
    }
    return out;
  }

  /** Returns the set without the members of `other`. Returns the set itself if it contains no member of `other`. */
  difference(other: FieldSet): FieldSet {
    if (other.#nodes.size === 0) return this;
    const out = new FieldSet();
    let isSame = true;
    for (const [element, node] of this.#nodes) {
      const theirs = other.#nodes.get(element);
      const children = node.children && theirs?.children ? node.children.difference(theirs.children) : node.children;
      const member = node.member && !theirs?.member;
      isSame &&= member === node.member && children === node.children;
      out.#put(element, member, children);
    }
    return isSame ? this : out;
  }

  /** Like `difference`, but a member of `other` also removes all paths below it. */
  recursiveDifference(other: FieldSet): FieldSet {
    if (this.#nodes.size === 0) return this;
    const out = new FieldSet();
    for (const [element, node] of this.#nodes) {
      const theirs = other.#nodes.get(element);
      if (theirs?.member) continue;
      const children = node.children && theirs?.children ? node.children.recursiveDifference(theirs.children) : node.children;
      out.#put(element, node.member, children);
    }
    return out;
  }

  /**
   * Returns the set that results from calling `change` for each element. `change` returns whether the element is a member, and its
   * children. Returns the set itself if nothing changes.
   */
  mapped(change: (element: PathElement, member: boolean, children: FieldSet | undefined) => [boolean, FieldSet | undefined]): FieldSet {
    const out = new FieldSet();
    let isSame = true;
    for (const [element, node] of this.#nodes) {
      const [member, children] = change(element, node.member, node.children);
      isSame &&= member === node.member && children === node.children;
      out.#put(element, member, children);
    }
    return isSame ? this : out;
  }

  equals(other: FieldSet): boolean {
    return this.difference(other).isEmpty && other.difference(this).isEmpty;
  }

  /** Yields the paths in the order of structured-merge-diff: at each level, the members come first and then their children, each sorted. */
  *paths(prefix: Path = []): Generator<Path> {
    const elements = this.#sorted();
    for (const [element, node] of elements) if (node.member) yield [...prefix, element];
    for (const [element, node] of elements) if (node.children) yield* node.children.paths([...prefix, element]);
  }

  *elements(): Generator<[element: PathElement, member: boolean, children: FieldSet | undefined]> {
    for (const [element, node] of this.#nodes) yield [element, node.member, node.children];
  }

  /** Encodes the set as FieldsV1. The result is frozen, and every call returns the same object. */
  toFieldsV1(): Readonly<Record<string, unknown>> {
    this.#spelled ??= this.#spell();
    return this.#spelled;
  }

  #spell(): Record<string, unknown> {
    const out: Record<string, unknown> = {};
    for (const [element, { member, children }] of this.#sorted()) {
      const inner = children?.toFieldsV1() ?? NOTHING;
      setOwn(out, element, member && children ? Object.freeze({ '.': NOTHING, ...inner }) : inner);
    }
    return Object.freeze(out);
  }

  /** Decodes `fieldsV1`. Elements of unknown kinds are skipped. Throws an Error that names an invalid element. */
  static fromFieldsV1(fields: unknown): FieldSet {
    const set = new FieldSet();
    if (typeof fields !== 'object' || fields === null) return set;
    for (const [text, inner] of Object.entries(fields)) {
      const element = text === '.' ? undefined : parseElement(text);
      if (element === undefined) continue;
      const children = FieldSet.fromFieldsV1(inner);
      const isSelf = isJsonObject(inner) && Object.hasOwn(inner, '.');
      set.#put(element, isSelf || children.#nodes.size === 0, children);
    }
    return set;
  }

  #put(element: PathElement, member: boolean, children: FieldSet | undefined): void {
    const kept = children && children.#nodes.size > 0 && !children.isEmpty ? children : undefined;
    if (member || kept) this.#nodes.set(element, { member, children: kept });
  }

  #sorted(): [PathElement, Node][] {
    const nodes = [...this.#nodes];
    return nodes.length < 2 ? nodes : nodes.sort(([a], [b]) => compareElements(a, b));
  }
}

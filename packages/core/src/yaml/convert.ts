import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar, type YAMLMap } from 'yaml';
import { setOwn } from '../patch/own.js';
import { YamlExpansionError } from './errors.js';
import { resolvePlainScalar } from './scalars.js';

export interface ConvertOptions {
  /** Records an error at an offset in the text. The conversion continues in order to find further errors. */
  readonly report: (offset: number, message: string) => void;
  /** Called with each key that its map already has, and the key's offset in the text. */
  readonly duplicate: (offset: number, key: string) => void;
  readonly maxDepth: number;
  readonly maxAliasNodes: number;
  readonly maxAliasLength: number;
}

/** Converts a document's nodes to plain values. Parts with a reported error are undefined in the result. */
export function toValue(root: Node, options: ConvertOptions): unknown {
  return new Converter(options).convert(root, 0);
}

const TAG_PREFIX = 'tag:yaml.org,2002:';
const MERGE_KEY = '<<';

class Converter {
  readonly #options: ConvertOptions;
  readonly #anchors = new Map<string, Node>();
  readonly #open = new Set<Node>();
  #aliasDepth = 0;
  #aliasNodes = 0;
  #aliasLength = 0;

  constructor(options: ConvertOptions) {
    this.#options = options;
  }

  convert(node: unknown, depth: number): unknown {
    if (node === null || node === undefined) return null;
    const typed = node as Node;
    if (depth > this.#options.maxDepth) return this.#fail(typed, `nested deeper than ${this.#options.maxDepth} levels`);
    if (isAlias(typed)) return this.#convertAlias(typed, depth);
    if (this.#aliasDepth > 0 && ++this.#aliasNodes > this.#options.maxAliasNodes) {
      return this.#aliasNodes === this.#options.maxAliasNodes + 1 ? this.#fail(typed, 'aliases expand to too many nodes') : undefined;
    }
    const anchor = (typed as { anchor?: string }).anchor;
    if (anchor !== undefined) this.#anchors.set(anchor, typed);
    return this.#convertContent(typed, depth);
  }

  #convertContent(node: Node, depth: number): unknown {
    if (isScalar(node)) {
      if (this.#aliasDepth > 0) this.#countAliased(String(node.value ?? ''));
      return this.#convertScalar(node);
    }
    this.#open.add(node);
    try {
      if (isMap(node)) return this.#convertMap(node, depth);
      if (isSeq(node)) return node.items.map((item) => this.convert(item, depth + 1));
      return this.#fail(node, 'unsupported kind of node');
    } finally {
      this.#open.delete(node);
    }
  }

  /**
   * Counts the length of a string once for each alias, because a string with several aliases is stored once but serialized for each alias.
   */
  #countAliased(text: string): void {
    this.#aliasLength += text.length;
    if (this.#aliasLength > this.#options.maxAliasLength) throw new YamlExpansionError(this.#options.maxAliasLength);
  }

  #convertAlias(alias: Node & { source: string }, depth: number): unknown {
    const target = this.#anchors.get(alias.source);
    if (target === undefined) return this.#fail(alias, `unknown anchor '${alias.source}' referenced`);
    if (this.#open.has(target)) return this.#fail(alias, `anchor '${alias.source}' value contains itself`);
    if (this.#aliasNodes > this.#options.maxAliasNodes) return undefined;
    this.#aliasDepth++;
    try {
      return this.convert(target, depth);
    } finally {
      this.#aliasDepth--;
    }
  }

  #convertMap(map: YAMLMap, depth: number): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    const merges: Pair[] = [];
    for (const pair of map.items) {
      if (isMergeKey(pair.key)) {
        merges.push(pair);
        continue;
      }
      const key = this.#convertKey(pair, map, depth);
      if (key === undefined) continue;
      if (Object.hasOwn(result, key)) this.#options.duplicate((pair.key as Node).range?.[0] ?? 0, key);
      setOwn(result, key, this.convert(pair.value, depth + 1));
    }
    for (const merge of merges) this.#merge(merge, result, depth);
    return result;
  }

  /** Merges `<<: *base` or `<<: [*a, *b]`. Keys of the map itself take precedence, then keys of earlier sources. */
  #merge(pair: Pair, into: Record<string, unknown>, depth: number): void {
    const sources = isSeq(pair.value) ? pair.value.items : [pair.value];
    for (const source of sources) {
      const value = this.convert(source, depth + 1);
      if (value === undefined) continue;
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        this.#fail(pair.key as Node, 'map merge requires map or sequence of maps as the value');
        continue;
      }
      for (const [key, member] of Object.entries(value)) if (!Object.hasOwn(into, key)) setOwn(into, key, member);
    }
  }

  #convertKey(pair: Pair, map: YAMLMap, depth: number): string | undefined {
    const key = isMap(pair.key) || isSeq(pair.key) ? null : this.convert(pair.key, depth);
    if (typeof key === 'string' || typeof key === 'number' || typeof key === 'boolean') return String(key);
    if (key !== undefined) this.#fail((pair.key as Node | null) ?? map, 'a key must be a string, a number or a boolean');
    return undefined;
  }

  #convertScalar(scalar: Scalar): unknown {
    const text = String(scalar.value ?? '');
    const isPlain = scalar.type === 'PLAIN';
    if (scalar.tag === undefined) return isPlain ? this.#checkNumber(scalar, resolvePlainScalar(text)) : text;
    const tag = scalar.tag.startsWith(TAG_PREFIX) ? scalar.tag.slice(TAG_PREFIX.length) : scalar.tag;
    switch (tag) {
      case 'str':
      case '!':
      case 'timestamp':
        return text;
      case 'binary':
        return this.#decodeBinary(scalar, text);
      case 'int':
      case 'float':
      case 'bool':
      case 'null':
        return this.#convertTagged(scalar, tag, text);
      default:
        return this.#fail(scalar, `unknown tag ${scalar.tag}`);
    }
  }

  #convertTagged(scalar: Scalar, tag: 'int' | 'float' | 'bool' | 'null', text: string): unknown {
    const value = this.#checkNumber(scalar, resolvePlainScalar(text));
    const isRight =
      tag === 'null'
        ? value === null
        : tag === 'bool'
          ? typeof value === 'boolean'
          : typeof value === 'number' && (tag === 'float' || Number.isInteger(value));
    return isRight ? value : this.#fail(scalar, `cannot decode \`${text}\` as a !!${tag}`);
  }

  #decodeBinary(scalar: Scalar, text: string): unknown {
    try {
      const bytes = Uint8Array.from(atob(text.replaceAll(/\s/g, '')), (char) => char.charCodeAt(0));
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      return this.#fail(scalar, '!!binary value is not base64 of a text');
    }
  }

  #checkNumber(scalar: Scalar, value: unknown): unknown {
    if (typeof value !== 'number' || Number.isFinite(value)) return value;
    return this.#fail(scalar, `${String(scalar.value)} has no JSON form`);
  }

  #fail(node: Node, message: string): undefined {
    this.#options.report(node.range?.[0] ?? 0, message);
    return undefined;
  }
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.type === 'PLAIN' && key.value === MERGE_KEY && key.tag === undefined;
}

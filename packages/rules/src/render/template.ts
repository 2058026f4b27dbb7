import { RENDER_MESSAGES, type TemplatePart, inexactInteger, parseTemplateText } from '@outrigger/api';
import { type Json, type JsonObject, isJsonObject, objectOrEmpty, setOwn } from '@outrigger/core';
import { isPreDeleteHook } from '../manifests/hooks.js';

/** A problem with a template or its values. */
export interface RenderProblem {
  /** The manifest, such as `Deployment hello/agent`, or `manifest 3` if the manifest has no name. */
  readonly manifest: string;
  /** The path of the value, such as `spec.template.spec.containers[0].image`. */
  readonly path: string;
  readonly variable?: string;
  readonly message: string;
}

/** The value of each variable. A variable without a value is treated as undefined. */
export type Values = ReadonlyMap<string, string | undefined>;

/** A manifest as a tree into which a cluster's values are filled. All clusters share the parts without variables. */
type Node =
  | { readonly type: 'static'; readonly value: Json }
  | { readonly type: 'string'; readonly parts: readonly TemplatePart[]; readonly path: string }
  | { readonly type: 'array'; readonly items: readonly Node[] }
  | { readonly type: 'object'; readonly entries: readonly (readonly [key: Node, value: Node])[] };

export interface CompiledTemplate {
  /** Every variable that the manifests use, sorted. */
  readonly variables: readonly string[];
  /** Whether the template has pre-delete hooks. */
  readonly hasHooks: boolean;
  /** Returns all problems at once, so that an add-on author can fix them together. */
  instantiate(values: Values): { readonly manifests: readonly JsonObject[] } | { readonly problems: readonly RenderProblem[] };
}

/** The limits of a template. Admission checks them too, but an object may reach the store without admission. */
export interface TemplateLimits {
  readonly maxManifests: number;
  readonly maxDepth: number;
  /** Maximum number of characters in all strings with variables, after the values were filled in. */
  readonly maxText: number;
}

const DEFAULT_LIMITS: TemplateLimits = { maxManifests: 2_000, maxDepth: 100, maxText: 8 * 1024 * 1024 };

/** Parses the manifests of a template. This happens once per content, so that `instantiate`, which runs for each cluster, is cheap. */
export function compileTemplate(
  manifests: readonly Json[],
  limits: TemplateLimits = DEFAULT_LIMITS,
): CompiledTemplate | { readonly problems: readonly RenderProblem[] } {
  if (manifests.length > limits.maxManifests) {
    const message = RENDER_MESSAGES.tooManyManifests(manifests.length, limits.maxManifests);
    return { problems: [{ manifest: 'template', path: 'spec.agentSpec.workload.manifests', message }] };
  }
  const compiler = new Compiler(limits.maxDepth);
  const nodes = manifests.map((manifest, index) => compiler.manifest(manifest, index));
  if (compiler.problems.length > 0) return { problems: compiler.problems };
  return {
    variables: [...compiler.variables].sort(),
    hasHooks: manifests.some((manifest) => isJsonObject(manifest) && isPreDeleteHook(manifest)),
    instantiate: (values) => instantiate(nodes, manifests, values, limits.maxText),
  };
}

class Compiler {
  readonly problems: RenderProblem[] = [];
  readonly variables = new Set<string>();
  readonly #maxDepth: number;
  #manifest = '';

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
  }

  manifest(value: Json, index: number): Node {
    this.#manifest = manifestName(value, index);
    if (!isJsonObject(value) || typeof value['kind'] !== 'string' || typeof value['apiVersion'] !== 'string') {
      this.#problem('', RENDER_MESSAGES.noManifest);
      return { type: 'static', value: null };
    }
    return this.#node(value, '', 0);
  }

  #node(value: Json, path: string, depth: number): Node {
    if (depth > this.#maxDepth) {
      this.#problem(path, RENDER_MESSAGES.tooDeep(this.#maxDepth));
      return { type: 'static', value: null };
    }
    if (typeof value === 'string') return this.#string(value, path);
    if (Array.isArray(value)) {
      const items = (value as readonly Json[]).map((item, index) => this.#node(item, `${path}[${index}]`, depth + 1));
      return items.every(isStatic) ? { type: 'static', value } : { type: 'array', items };
    }
    if (typeof value === 'number' && inexactInteger(value) !== undefined) this.#problem(path, RENDER_MESSAGES.inexactInteger);
    if (!isJsonObject(value)) return { type: 'static', value };
    const entries = Object.entries(value).map(([key, child]) => {
      const childPath = path === '' ? key : `${path}.${key}`;
      return [this.#string(key, childPath), this.#node(child ?? null, childPath, depth + 1)] as const;
    });
    return entries.every(([key, child]) => isStatic(key) && isStatic(child)) ? { type: 'static', value } : { type: 'object', entries };
  }

  #string(text: string, path: string): Node {
    if (!text.includes('{{')) return { type: 'static', value: text };
    const parsed = parseTemplateText(text);
    if ('problem' in parsed) {
      this.#problem(path, parsed.problem);
      return { type: 'static', value: text };
    }
    for (const part of parsed.parts) if (typeof part !== 'string') this.variables.add(part.variable);
    return { type: 'string', parts: parsed.parts, path };
  }

  #problem(path: string, message: string): void {
    this.problems.push({ manifest: this.#manifest, path, message });
  }
}

function instantiate(
  nodes: readonly Node[],
  manifests: readonly Json[],
  values: Values,
  maxText: number,
): { readonly manifests: readonly JsonObject[] } | { readonly problems: readonly RenderProblem[] } {
  const substitution = new Substitution(values, maxText);
  const rendered = nodes.map((node, index) => {
    substitution.begin(() => manifestName(manifests[index] ?? null, index));
    return substitution.build(node) as JsonObject;
  });
  return substitution.problems.length > 0 ? { problems: substitution.problems } : { manifests: rendered };
}

/** Fills in the values of one cluster. */
class Substitution {
  readonly problems: RenderProblem[] = [];
  readonly #values: Values;
  readonly #maxText: number;
  #text = 0;
  #manifest: () => string = () => '';

  constructor(values: Values, maxText: number) {
    this.#values = values;
    this.#maxText = maxText;
  }

  begin(manifest: () => string): void {
    this.#manifest = manifest;
  }

  build(node: Node): Json {
    switch (node.type) {
      case 'static':
        return node.value;
      case 'string':
        return this.#substitute(node);
      case 'array':
        return node.items.map((item) => this.build(item));
      case 'object': {
        const object: Record<string, Json> = {};
        for (const [key, child] of node.entries) setOwn(object, this.build(key) as string, this.build(child));
        return object;
      }
    }
  }

  #substitute({ parts, path }: Extract<Node, { type: 'string' }>): string {
    let text = '';
    for (const part of parts) {
      const value = typeof part === 'string' ? part : this.#values.get(part.variable);
      if (value === undefined) this.#undefined((part as Exclude<TemplatePart, string>).variable, path);
      else if (this.#spend(value.length, path)) text += value;
    }
    return text;
  }

  /** A short template can use long values very often, so the size of the result is limited. */
  #spend(length: number, path: string): boolean {
    const wasWithin = this.#text <= this.#maxText;
    this.#text += length;
    if (this.#text <= this.#maxText) return true;
    if (wasWithin) this.#problem(path, RENDER_MESSAGES.tooMuchText(this.#maxText));
    return false;
  }

  #undefined(variable: string, path: string): void {
    this.#problem(path, RENDER_MESSAGES.undefinedVariable(variable, [...this.#values.keys()].sort()), variable);
  }

  #problem(path: string, message: string, variable?: string): void {
    this.problems.push({ manifest: this.#manifest(), path, ...(variable === undefined ? {} : { variable }), message });
  }
}

function isStatic(node: Node): boolean {
  return node.type === 'static';
}

export function manifestName(value: Json, index: number): string {
  if (!isJsonObject(value) || typeof value['kind'] !== 'string') return `manifest ${index}`;
  const metadata = objectOrEmpty(value['metadata']);
  const name = typeof metadata['name'] === 'string' ? metadata['name'] : undefined;
  const namespace = typeof metadata['namespace'] === 'string' ? metadata['namespace'] : undefined;
  if (name === undefined) return `manifest ${index} (${value['kind']})`;
  return namespace === undefined ? `${value['kind']} ${name}` : `${value['kind']} ${namespace}/${name}`;
}

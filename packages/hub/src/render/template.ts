import { type TemplatePart, parseTemplateText } from '@outrigger/api';
import { type Json, type JsonObject, isJsonObject } from '@outrigger/core';
import { isPreDeleteHook } from '../works/hooks.js';

/** What is wrong with a template or its values, where, and in which manifest. */
export interface RenderProblem {
  /** `Deployment hello/agent`, or `manifest 3` where it has no name yet. */
  readonly manifest: string;
  /** `spec.template.spec.containers[0].image` */
  readonly path: string;
  readonly variable?: string;
  readonly message: string;
}

export type Values = ReadonlyMap<string, string>;

/** A manifest as a function of the values; parts without variables are shared between all clusters. */
type Node =
  | { readonly type: 'static'; readonly value: Json }
  | { readonly type: 'string'; readonly parts: readonly TemplatePart[]; readonly path: string }
  | { readonly type: 'array'; readonly items: readonly Node[] }
  | { readonly type: 'object'; readonly entries: readonly (readonly [key: Node, value: Node])[] };

export interface CompiledTemplate {
  /** Every variable the manifests name, sorted. */
  readonly variables: readonly string[];
  /** Whether something must run before the add-on is removed. */
  readonly hasHooks: boolean;
  /** All problems at once, so that an author mends a template in one go. */
  instantiate(values: Values): { readonly manifests: readonly JsonObject[] } | { readonly problems: readonly RenderProblem[] };
}

/** A template is bounded here as well as at the door: objects may reach the store in other ways. */
export interface TemplateLimits {
  readonly maxManifests: number;
  readonly maxDepth: number;
}

const DEFAULT_LIMITS: TemplateLimits = { maxManifests: 2_000, maxDepth: 100 };

/** Parses the manifests of a template once per content; `instantiate` is then cheap per cluster. */
export function compileTemplate(
  manifests: readonly Json[],
  limits: TemplateLimits = DEFAULT_LIMITS,
): CompiledTemplate | { readonly problems: readonly RenderProblem[] } {
  if (manifests.length > limits.maxManifests) {
    const message = `${manifests.length} manifests, at most ${limits.maxManifests} are supported: split the add-on or install a chart from one of them`;
    return { problems: [{ manifest: 'template', path: 'spec.agentSpec.workload.manifests', message }] };
  }
  const compiler = new Compiler(limits.maxDepth);
  const nodes = manifests.map((manifest, index) => compiler.manifest(manifest, index));
  if (compiler.problems.length > 0) return { problems: compiler.problems };
  return {
    variables: [...compiler.variables].sort(),
    hasHooks: manifests.some((manifest) => isJsonObject(manifest) && isPreDeleteHook(manifest)),
    instantiate: (values) => instantiate(nodes, manifests, values),
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
      this.#problem('', 'a manifest is an object with apiVersion and kind');
      return { type: 'static', value: null };
    }
    return this.#node(value, '', 0);
  }

  #node(value: Json, path: string, depth: number): Node {
    if (depth > this.#maxDepth) {
      this.#problem(path, `nested more than ${this.#maxDepth} levels deep`);
      return { type: 'static', value: null };
    }
    if (typeof value === 'string') return this.#string(value, path);
    if (Array.isArray(value)) {
      const items = (value as readonly Json[]).map((item, index) => this.#node(item, `${path}[${index}]`, depth + 1));
      return items.every(isStatic) ? { type: 'static', value } : { type: 'array', items };
    }
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
): { readonly manifests: readonly JsonObject[] } | { readonly problems: readonly RenderProblem[] } {
  const problems: RenderProblem[] = [];
  const rendered = nodes.map((node, index) => {
    const undefinedVariable = (variable: string, path: string): void => {
      const known = [...values.keys()].sort().join(', ');
      problems.push({
        manifest: manifestName(manifests[index] ?? null, index),
        path,
        variable,
        message: `variable ${variable} is not defined; defined are ${known}. Set it in the customizedVariables of an AddOnDeploymentConfig`,
      });
    };
    return build(node, values, undefinedVariable) as JsonObject;
  });
  return problems.length > 0 ? { problems } : { manifests: rendered };
}

function build(node: Node, values: Values, missing: (variable: string, path: string) => void): Json {
  switch (node.type) {
    case 'static':
      return node.value;
    case 'string':
      return substitute(node, values, missing);
    case 'array':
      return node.items.map((item) => build(item, values, missing));
    case 'object': {
      // defineProperty, because a key may be spelled `__proto__` and must stay an ordinary key.
      const object: Record<string, Json> = {};
      for (const [key, child] of node.entries) {
        const name = build(key, values, missing) as string;
        Object.defineProperty(object, name, { value: build(child, values, missing), enumerable: true, writable: true, configurable: true });
      }
      return object;
    }
  }
}

function substitute(node: Extract<Node, { type: 'string' }>, values: Values, missing: (variable: string, path: string) => void): string {
  let text = '';
  for (const part of node.parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const value = values.get(part.variable);
    if (value === undefined) missing(part.variable, node.path);
    else text += value;
  }
  return text;
}

function isStatic(node: Node): boolean {
  return node.type === 'static';
}

function manifestName(value: Json, index: number): string {
  if (!isJsonObject(value) || typeof value['kind'] !== 'string') return `manifest ${index}`;
  const metadata = isJsonObject(value['metadata']) ? value['metadata'] : {};
  const name = typeof metadata['name'] === 'string' ? metadata['name'] : undefined;
  const namespace = typeof metadata['namespace'] === 'string' ? metadata['namespace'] : undefined;
  if (name === undefined) return `manifest ${index} (${value['kind']})`;
  return namespace === undefined ? `${value['kind']} ${name}` : `${value['kind']} ${namespace}/${name}`;
}

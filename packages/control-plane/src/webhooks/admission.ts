import type { Cancel, KubeObject, AdmissionVerdict } from '@outrigger/core';
import type { ExpressionFunction } from '@outrigger/core/cel';
import { equivalentsOf } from '../admission/forms.js';
import { isExempt, matchedForm, type NamespaceLabels } from '../admission/match.js';
import type { ServerAdmission, AdmissionAttributes } from '../handle/contract.js';
import type { Registry } from '../registry/registry.js';
import type { Store } from '../store/contract.js';
import { storageKey } from '../store/key.js';
import type { Caller } from './call.js';
import { WebhookConfigurations } from './configurations.js';
import type { Phase } from './contract.js';
import { dispatchMutating, dispatchValidating, type Dispatch, type Selected } from './dispatch.js';

export interface WebhookAdmissionOptions {
  readonly store: Store;
  readonly registry: Registry;
  readonly caller: Caller;
  readonly namespaceLabels: NamespaceLabels;
  /** The functions that match conditions may call. */
  readonly functions: readonly ExpressionFunction[];
}

export interface WebhookAdmission extends ServerAdmission {
  readonly stop: Cancel;
}

const NOTHING: AdmissionVerdict = {};

/** Returns the admission by the webhooks that are configured in the store. It costs nothing if no webhook is configured. */
export function webhookAdmission(options: WebhookAdmissionOptions): WebhookAdmission {
  const { registry, caller, namespaceLabels } = options;
  const phases = { mutating: new Selection('mutating', options), validating: new Selection('validating', options) };

  const dispatch = (phase: Phase, request: AdmissionAttributes): Dispatch | undefined => {
    const selected = phases[phase].of(request);
    const requested = registry.find(request.group, request.version, request.resource);
    return selected.length > 0 && requested ? { caller, namespaceLabels, requested, selected } : undefined;
  };

  return {
    mutate: (request) => {
      const needed = dispatch('mutating', request);
      return needed ? dispatchMutating(needed, request) : NOTHING;
    },
    validate: (request) => {
      const needed = dispatch('validating', request);
      return needed ? dispatchValidating(needed, request) : NOTHING;
    },
    stop: () => {
      phases.mutating.stop();
      phases.validating.stop();
    },
  };
}

/** The webhooks whose rules match, cached per resource and operation until configurations or served resources change. */
class Selection {
  readonly #configurations: WebhookConfigurations;
  readonly #registry: Registry;
  readonly #known = new Map<string, readonly Selected[]>();
  #generation = 0;

  constructor(phase: Phase, { store, registry, functions }: WebhookAdmissionOptions) {
    this.#registry = registry;
    this.#configurations = new WebhookConfigurations(store, phase, functions, () => this.#known.clear());
  }

  of(request: AdmissionAttributes): readonly Selected[] {
    if (this.#configurations.hooks.length === 0 || isExempt(request)) return [];
    if (this.#generation !== this.#registry.generation) this.#known.clear();
    this.#generation = this.#registry.generation;
    const { operation, group, version, resource, subResource } = request;
    const key = `${operation} ${group}/${version}/${resource}/${subResource}`;
    const selected = this.#known.get(key) ?? this.#select(request);
    this.#known.set(key, selected);
    return selected;
  }

  stop(): void {
    this.#configurations.stop();
  }

  #select(request: AdmissionAttributes): readonly Selected[] {
    const requested = this.#registry.find(request.group, request.version, request.resource);
    if (!requested) return [];
    const equivalents = equivalentsOf(this.#registry, requested);
    return this.#configurations.hooks.flatMap((hook) => {
      const { rules = [], matchPolicy = 'Equivalent' } = hook.webhook;
      const form = matchedForm({ rules, matchPolicy }, requested, equivalents, request);
      return form ? [{ hook, form }] : [];
    });
  }
}

/** Returns a lookup of the Services in the store, to which webhook calls may be sent. */
export function storedServices(store: Store): Caller['services'] {
  const get = (group: string, plural: string, namespace: string, name: string): KubeObject | undefined =>
    store.get(storageKey({ group, plural, namespace, name }))?.object;
  return {
    service: (namespace, name) => get('', 'services', namespace, name),
    endpoints: (namespace, name) => get('', 'endpoints', namespace, name),
    endpointSlices: (namespace) =>
      store
        .range(storageKey({ group: 'discovery.k8s.io', plural: 'endpointslices', namespace, name: '' }))
        .entries.map(({ object }) => object),
  };
}

import type { ExpressionFunction } from '@outrigger/core/cel';
import { type Cancel, compileLabelSelector, type KubeObject, type Selector, lazy } from '@outrigger/core';
import { compileConditions, type Conditions, REQUEST_VARIABLES } from '../admission/conditions.js';
import { everyEntry } from '../every-entry.js';
import type { Store } from '../store/contract.js';
import { storagePrefix } from '../store/key.js';
import type { Phase, Webhook } from './contract.js';

/** A webhook with its selectors and conditions. They are compiled on first use, because most requests do not need them. */
export interface Hook {
  readonly webhook: Webhook;
  readonly namespaceSelector: () => Selector;
  readonly objectSelector: () => Selector;
  readonly conditions: () => Conditions;
}

interface Configuration extends KubeObject {
  readonly webhooks?: readonly Webhook[];
}

const PLURALS: Readonly<Record<Phase, string>> = {
  mutating: 'mutatingwebhookconfigurations',
  validating: 'validatingwebhookconfigurations',
};

/**
 * The webhooks of one phase in calling order: by the name of their configuration, then in the order of the configuration's list. The
 * result is updated when a webhook configuration in the store changes.
 */
export class WebhookConfigurations {
  readonly stop: Cancel;
  readonly #byName = new Map<string, readonly Hook[]>();
  readonly #functions: readonly ExpressionFunction[];
  #hooks: readonly Hook[] = [];

  constructor(store: Store, phase: Phase, functions: readonly ExpressionFunction[], onChange: () => void) {
    this.#functions = functions;
    const prefix = storagePrefix({ group: 'admissionregistration.k8s.io', plural: PLURALS[phase] });
    for (const { object } of everyEntry(store, prefix)) this.#set(object);
    this.stop = store.subscribe(({ key, type, object }) => {
      if (!key.startsWith(prefix)) return;
      if (type === 'put') this.#set(object);
      else this.#remove(object);
      onChange();
    });
  }

  get hooks(): readonly Hook[] {
    return this.#hooks;
  }

  #set(object: KubeObject): void {
    const { metadata, webhooks = [] }: Configuration = object;
    this.#byName.set(
      metadata.name ?? '',
      webhooks.map((webhook) => hookOf(webhook, this.#functions)),
    );
    this.#arrange();
  }

  #remove({ metadata }: KubeObject): void {
    this.#byName.delete(metadata.name ?? '');
    this.#arrange();
  }

  #arrange(): void {
    this.#hooks = [...this.#byName.keys()].sort().flatMap((name) => this.#byName.get(name) ?? []);
  }
}

function hookOf(webhook: Webhook, functions: readonly ExpressionFunction[]): Hook {
  return {
    webhook,
    namespaceSelector: lazy(() => compileLabelSelector(webhook.namespaceSelector ?? {})),
    objectSelector: lazy(() => compileLabelSelector(webhook.objectSelector ?? {})),
    conditions: lazy(() => compileConditions(webhook.matchConditions ?? [], REQUEST_VARIABLES, functions)),
  };
}

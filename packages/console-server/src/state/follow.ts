import {
  addOnRollouts,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusters,
  placementDecisions,
  placements,
  roleBindings,
  rolloutApprovals,
} from '@outrigger/api';
import {
  type Kind,
  type KubeObject,
  type ObjectKey,
  type Runtime,
  errorMessage,
  isApiError,
  keyOf,
  keyString,
  parseKey,
} from '@outrigger/core';
import { type Client, reflect } from '@outrigger/kube';
import { ACTIVITY_KINDS, type CoreEvent } from './activity.js';
import type { ConsoleState } from './state.js';

const EVENTS: Kind<CoreEvent> = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };

interface Followed {
  readonly name: string;
  readonly kind: Kind;
  readonly fieldSelector?: string;
  /** Whether views wait for the first complete list of this kind. */
  readonly isNeeded: boolean;
  /**
   * Whether the kind counts as empty if the hub does not serve it or the console may not read it. For any other kind, the console then
   * reports a problem.
   */
  readonly isOptional?: boolean;
  readonly set: (state: ConsoleState, object: KubeObject | undefined, key: ObjectKey) => void;
}

/** The watched kinds. All users share one watch per kind. */
const FOLLOWED: readonly Followed[] = [
  {
    name: 'declarations',
    kind: clusterManagementAddOns,
    isNeeded: true,
    set: (state, object, { name }) => state.setDeclaration(object, name),
  },
  { name: 'rollouts', kind: addOnRollouts, isNeeded: true, set: (state, object, { name }) => state.setRollout(object, name) },
  { name: 'templates', kind: addOnTemplates, isNeeded: false, set: (state, object, { name }) => state.setTemplate(object, name) },
  { name: 'placements', kind: placements, isNeeded: false, set: (state, object, key) => state.setPlacement(object, keyString(key)) },
  { name: 'decisions', kind: placementDecisions, isNeeded: false, set: (state, object, key) => state.setDecision(object, keyString(key)) },
  { name: 'clusters', kind: managedClusters, isNeeded: true, set: (state, object, { name }) => state.setCluster(object, name) },
  {
    name: 'add-ons',
    kind: managedClusterAddOns,
    isNeeded: true,
    set: (state, object, { name, namespace = '' }) => state.setAddOn(object, namespace, name),
  },
  {
    name: 'approvals',
    kind: rolloutApprovals,
    isNeeded: false,
    isOptional: true,
    set: (state, object, { name }) => state.setApproval(object, name),
  },
  { name: 'role bindings', kind: roleBindings, isNeeded: false, set: (state, object, key) => state.setBinding(object, keyString(key)) },
  ...ACTIVITY_KINDS.map(
    (kind): Followed => ({
      name: `events of ${kind}`,
      kind: EVENTS,
      fieldSelector: `involvedObject.kind=${kind}`,
      isNeeded: false,
      set: (state, object, key) => state.setEvent(object, keyString(key)),
    }),
  ),
];

export interface Following {
  /** Whether all kinds that views need have been listed completely. */
  readonly isReady: boolean;
  /** The reason why the data is outdated or missing, and since when; undefined while every watch works. */
  readonly trouble: { readonly since: number; readonly message: string } | undefined;
  stop(): Promise<void>;
}

export interface FollowOptions {
  readonly runtime: Runtime;
  readonly client: Client;
  readonly state: ConsoleState;
  /** Called after each change. */
  readonly onChange: () => void;
  /** Names of kinds that are not watched. Local mode, for example, needs no RoleBindings. */
  readonly without?: readonly string[];
}

/** Keeps the state in sync with the API server until it is stopped. */
export function follow({ runtime, client, state, onChange, without = [] }: FollowOptions): Following {
  const stopping = new AbortController();
  const pending = new Set<string>();
  const troubles = new Map<string, { readonly since: number; readonly message: string }>();

  async function run({ name, kind, fieldSelector, isOptional, set }: Followed): Promise<void> {
    const known = new Set<string>();
    let listed: Set<string> | undefined;
    const selection = fieldSelector === undefined ? {} : { fieldSelector };
    const onFailure = (error: unknown): void => {
      if (isOptional && (isApiError(error, 'Forbidden') || isApiError(error, 'NotFound'))) return;
      const since = troubles.get(name)?.since ?? runtime.clock.now();
      const message = isApiError(error, 'Forbidden') ? `the console may not read ${kind.plural}` : errorMessage(error);
      troubles.set(name, { since, message: `${name}: ${message}` });
      onChange();
    };
    for await (const event of reflect({ client, runtime, kind, selection, onFailure }, stopping.signal)) {
      troubles.delete(name);
      switch (event.type) {
        case 'Init':
          listed = new Set();
          break;
        case 'InitApply':
        case 'Apply': {
          const key = keyOf(event.object);
          known.add(keyString(key));
          listed?.add(keyString(key));
          set(state, event.object, key);
          break;
        }
        case 'Delete':
          known.delete(keyString(keyOf(event.object)));
          set(state, undefined, keyOf(event.object));
          break;
        case 'InitDone':
          for (const id of known) {
            if (listed?.has(id)) continue;
            known.delete(id);
            set(state, undefined, parseKey(id));
          }
          listed = undefined;
          pending.delete(name);
          break;
        case 'Bookmark':
          continue;
      }
      onChange();
    }
  }

  const followed = FOLLOWED.filter(({ name }) => !without.includes(name));
  for (const { name, isNeeded } of followed) if (isNeeded) pending.add(name);
  const running = followed.map(run);
  return {
    get isReady() {
      return pending.size === 0;
    },
    get trouble() {
      return [...troubles.values()].sort((a, b) => a.since - b.since)[0];
    },
    async stop() {
      stopping.abort(new Error('the console stops'));
      await Promise.all(running);
    },
  };
}

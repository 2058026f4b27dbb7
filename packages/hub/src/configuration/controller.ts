import type { ObjectKey, Projected } from '@outrigger/core';
import { type Change, type Controller, type Decision, defineController, watch } from '@outrigger/kube';
import type { AddOnProjection, DeclarationProjection } from '@outrigger/rules/observed';
import { addOns } from '../resources/add-ons.js';
import { declarations } from '../resources/declarations.js';
import { defaultConfigs, entriesOf } from '@outrigger/rules/strategy';
import type { FollowedConfigs } from './followed-configs.js';
import { type ConfigRef, isOwnKind, refKey, toRef } from '@outrigger/rules/configuration';

interface ReferenceState {
  readonly ref: ConfigRef;
  readonly isNamed: boolean;
  readonly isFollowed: boolean;
}

type ReferenceEffects = { readonly follow: ConfigRef; readonly unfollow: ConfigRef };

/** Keyed by reference: watches each config whose kind has no cache, as long as a declaration or an add-on references it. */
export function configurationsController(configs: FollowedConfigs): Controller<ReferenceState, never, ReferenceEffects> {
  return defineController<ReferenceState, never, ReferenceEffects>({
    name: 'configurations',
    watches: [watch(declarations, wakeBy(declaredRefs)), watch(addOns, wakeBy(addOnRefs))],
    observe(view, key) {
      const ref = refOfKey(key);
      const id = refKey(ref);
      const isNamed = view.byIndex(declarations, 'config', id).length > 0 || view.byIndex(addOns, 'config', id).length > 0;
      return { ref, isNamed, isFollowed: configs.isFollowing(ref) };
    },
    decide,
    effects: {
      follow: async (ref) => configs.follow(ref),
      unfollow: async (ref) => configs.unfollow(ref),
    },
  });
}

function decide({ ref, isNamed, isFollowed }: ReferenceState): Decision<never, ReferenceEffects> {
  if (isNamed === isFollowed) return { stages: [] };
  return { stages: [[{ type: 'effect', effect: isNamed ? 'follow' : 'unfollow', id: 'follow', input: ref }]] };
}

function wakeBy<P extends Projected>(refsOf: (projection: P) => readonly ConfigRef[]): (change: Change<P>) => ObjectKey[] {
  return ({ before, after }) => {
    const refs = [...(before ? refsOf(before) : []), ...(after ? refsOf(after) : [])];
    return refs.filter((ref) => !isOwnKind(ref)).map(keyOfRef);
  };
}

function declaredRefs({ spec }: DeclarationProjection): readonly ConfigRef[] {
  return [...defaultConfigs(spec), ...entriesOf(spec).flatMap((entry) => entry.configs)];
}

/** Follow only references in specs. A status is an agent's report, so the configs that it names are not followed (AT-45). */
function addOnRefs({ spec }: AddOnProjection): readonly ConfigRef[] {
  return (spec.configs ?? []).slice(0, MAX_FOLLOWED_REFERENCES).map(toRef);
}

/** Maximum number of configs that are followed for one add-on. */
const MAX_FOLLOWED_REFERENCES = 100;

/** Joins the parts of a reference with colons. Only the name, the last part, can contain a colon, and no part contains a slash. */
function keyOfRef({ group, resource, namespace, name }: ConfigRef): ObjectKey {
  return { name: [group, resource, namespace, name].join(':') };
}

function refOfKey(key: ObjectKey): ConfigRef {
  const [group = '', resource = '', namespace = '', ...name] = key.name.split(':');
  return { group, resource, namespace, name: name.join(':') };
}

import { type ObjectKey, validateLabelValue } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';

/** The value of the label that names the ManifestWorkReplicaSet of a work. */
export function setLabel({ namespace = '', name }: ObjectKey): string {
  return `${namespace}.${name}`;
}

/** The key of the set that a label value names. A namespace contains no dot. */
export function setOfLabel(label: string): ObjectKey | undefined {
  const dot = label.indexOf('.');
  return dot <= 0 ? undefined : { namespace: label.slice(0, dot), name: label.slice(dot + 1) };
}

const DIGITS = 8;

/**
 * The name of a new work. It starts with the name of the set, and is the same in every pass, so that a repeated create does not create a
 * second work.
 */
export function workName(set: ObjectKey, placement: string): string {
  return `${set.name}-${sha256Hex(`${setLabel(set)}/${placement}`).slice(0, DIGITS)}`;
}

/** Why the works of a set cannot have its labels, or undefined if they can have them. */
export function nameProblem(set: ObjectKey, placements: readonly string[]): string | undefined {
  const label = setLabel(set);
  if (validateLabelValue(label).length > 0) return `${label} is no valid label value; use a shorter namespace or name.`;
  const placement = placements.find((name) => validateLabelValue(name).length > 0);
  return placement === undefined ? undefined : `The name of Placement ${placement} is no valid label value; use a shorter name.`;
}

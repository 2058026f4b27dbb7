import { type ObjectKey, validateLabelValue } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';

/** The label value that names the ManifestWorkReplicaSet of a work. */
export function setLabel({ namespace = '', name }: ObjectKey): string {
  return `${namespace}.${name}`;
}

/** Returns the key of the set that a label value names. A namespace contains no dot, so the first dot separates it from the name. */
export function setOfLabel(label: string): ObjectKey | undefined {
  const dot = label.indexOf('.');
  return dot <= 0 ? undefined : { namespace: label.slice(0, dot), name: label.slice(dot + 1) };
}

const DIGITS = 8;

/**
 * The name of a new work. It starts with the name of the set. It is the same in every pass, so that a repeated create request does not
 * create a second work.
 */
export function workName(set: ObjectKey, placement: string): string {
  return `${set.name}-${sha256Hex(`${setLabel(set)}/${placement}`).slice(0, DIGITS)}`;
}

/** Why the labels for a set's works would be invalid; undefined if they are valid. */
export function nameProblem(set: ObjectKey, placements: readonly string[]): string | undefined {
  const label = setLabel(set);
  if (validateLabelValue(label).length > 0) return `${label} is no valid label value; use a shorter namespace or name.`;
  const placement = placements.find((name) => validateLabelValue(name).length > 0);
  return placement === undefined ? undefined : `The name of Placement ${placement} is no valid label value; use a shorter name.`;
}

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

/**
 * Upstream's controller uses generateName with the set's name, truncated to 58 characters; the API server appends five random characters.
 */
const GENERATED_DIGITS = 5;
const MAX_GENERATED_BASE = 58;

function isGeneratedFrom(set: string, name: string): boolean {
  const base = set.slice(0, MAX_GENERATED_BASE);
  return name.startsWith(base) && /^[a-z0-9]+$/.test(name.slice(base.length)) && name.length === base.length + GENERATED_DIGITS;
}

/**
 * Returns a function that returns the Placement of a work that has the label of the set, or undefined if the work belongs to another
 * program. An agent can change the labels of its cluster's works but not their names, so the label alone never makes a work part of the
 * set.
 */
export function placementReader(
  set: ObjectKey,
  placements: readonly string[],
): (work: { readonly key: ObjectKey; readonly placement: string }) => string | undefined {
  const named = new Map(placements.map((placement) => [workName(set, placement), placement]));
  return ({ key: { name }, placement }) => {
    const referenced = named.get(name);
    if (referenced !== undefined) return referenced;
    return isGeneratedFrom(set.name, name) || name === workName(set, placement) ? placement : undefined;
  };
}

/** Why the works of a set cannot have its labels; undefined if the labels are valid. */
export function nameProblem(set: ObjectKey, placements: readonly string[]): string | undefined {
  const label = setLabel(set);
  if (validateLabelValue(label).length > 0) return `${label} is no valid label value; use a shorter namespace or name.`;
  const placement = placements.find((name) => validateLabelValue(name).length > 0);
  return placement === undefined ? undefined : `The name of Placement ${placement} is no valid label value; use a shorter name.`;
}

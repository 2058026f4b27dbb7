import { compareVersions } from '@outrigger/core';
import type { Comparison, Term } from '../filter/parse.js';
import { CELL_STATES, CLUSTER_STATES } from '@outrigger/console-contract';
import { cellIndex, type Fleet } from './fleet.js';

/** The rows and columns that match a filter, and a function that reports whether a cell matches. */
export interface Match {
  readonly rows: Uint32Array;
  readonly columns: readonly number[];
  /** Whether the cell matches. It returns false for cells that are shown only because another cell of their row matches. */
  readonly hasCell: (index: number) => boolean;
}

/** The filter keys of the fleet page. An unknown key matches nothing. */
const FLEET_KEYS: readonly string[] = ['addon', 'cluster', 'is', 'kubernetes', 'label', 'reason', 'state', 'version'];

/** The values of keys that have a fixed set of values. A value outside of the set matches nothing. */
const FIXED_VALUES: Readonly<Record<string, readonly string[]>> = { state: CELL_STATES, is: CLUSTER_STATES };

/** Returns a sentence about the first key or value that the filter cannot match; undefined if there is none. */
export function filterMistake(terms: readonly Term[]): string | undefined {
  for (const { key, values } of terms) {
    if (key === undefined) continue;
    if (!FLEET_KEYS.includes(key)) return `The filter has no key ${key}. Keys: ${FLEET_KEYS.join(', ')}.`;
    const known = Object.hasOwn(FIXED_VALUES, key) ? FIXED_VALUES[key] : undefined;
    const wrong = known && values.find((value) => !known.includes(value));
    if (known && wrong !== undefined) return `The key ${key} has no value ${wrong}. Values: ${known.join(', ')}.`;
  }
  return undefined;
}

const CELL_KEYS = new Set(['state', 'version', 'reason']);

/** Whether the rows that match the terms depend on the state of cells. */
export function dependsOnCells(terms: readonly Term[]): boolean {
  return terms.some(({ key }) => CELL_KEYS.has(key ?? ''));
}

export function matchFleet(fleet: Fleet, terms: readonly Term[]): Match {
  const names = new Set(fleet.addons.map(({ name }) => name));
  const isName = (value: string) => names.has(value);
  const columns = [...fleet.addons.keys()].filter((column) =>
    terms.every((term) => term.key !== 'addon' || namesAgree(term, fleet.addons[column]?.name ?? '', isName)),
  );
  const rowTerms = terms.filter(({ key }) => key !== 'addon' && !CELL_KEYS.has(key ?? ''));
  const cellTests = terms.filter(({ key }) => CELL_KEYS.has(key ?? '')).map((term) => cellTest(fleet, term));
  const hasCell = (index: number) => cellTests.every((test) => test(index));
  const mustHaveCell = cellTests.length > 0;
  const rows = new Uint32Array(fleet.clusters.length);
  let count = 0;
  for (let row = 0; row < fleet.clusters.length; row++) {
    if (!rowTerms.every((term) => rowAgrees(fleet, row, term))) continue;
    if (mustHaveCell && !columns.some((column) => hasCell(cellIndex(fleet, row, column)))) continue;
    rows[count++] = row;
  }
  return { rows: rows.subarray(0, count), columns, hasCell };
}

function rowAgrees(fleet: Fleet, row: number, term: Term): boolean {
  const cluster = fleet.clusters[row];
  if (cluster === undefined) return false;
  switch (term.key) {
    case 'cluster':
      return agrees(term, [cluster.name]);
    case 'is':
      return term.values.includes(cluster.state) !== term.isNegated;
    case 'label':
      return term.values.some((value) => hasLabel(cluster.labels, value)) !== term.isNegated;
    case 'kubernetes':
      return versionAgrees(term, cluster.kubernetes);
    case undefined:
      return agrees(term, [cluster.name, ...Object.values(cluster.labels)]);
    default:
      return false;
  }
}

/** Whether the labels match `wanted`, which is `key`, `key=value` or `key!=value`. */
function hasLabel(labels: Readonly<Record<string, string>>, wanted: string): boolean {
  const at = wanted.indexOf('=');
  if (at < 0) return Object.hasOwn(labels, wanted);
  const isUnequal = wanted[at - 1] === '!';
  const key = wanted.slice(0, isUnequal ? at - 1 : at);
  const value = wanted.slice(at + 1);
  return ((Object.hasOwn(labels, key) ? labels[key] : undefined) === value) !== isUnequal;
}

/**
 * Returns a function that reports whether the cell at an index matches the term. The function evaluates a term once per distinct text
 * instead of once per cell.
 */
function cellTest(fleet: Fleet, term: Term): (index: number) => boolean {
  if (term.key === 'state') {
    const wanted = CELL_STATES.map((state) => term.values.includes(state) !== term.isNegated);
    return (index) => wanted[fleet.states[index] ?? 0] ?? false;
  }
  const column = term.key === 'version' ? fleet.versions : fleet.reasons;
  const known = new Map<number, boolean>();
  return (index) => {
    const text = column[index] ?? 0;
    let result = known.get(text);
    if (result === undefined) {
      result =
        term.key === 'version'
          ? versionAgrees(term, fleet.texts.at(text))
          : text !== 0 && namesAgree(term, fleet.texts.at(text), (value) => fleet.texts.has(value));
      known.set(text, result);
    }
    return result;
  };
}

function versionAgrees({ values, comparison, isNegated }: Term, version: string): boolean {
  if (version === '') return false;
  return values.some((value) => (comparison === '=' ? version === value : compares(version, comparison, value))) !== isNegated;
}

function compares(version: string, comparison: Comparison, wanted: string): boolean {
  const order = compareVersions(version, wanted, []);
  if (order === undefined) return false;
  if (comparison === '<') return order < 0;
  if (comparison === '<=') return order <= 0;
  return comparison === '>' ? order > 0 : order >= 0;
}

/** A value that equals a name matches only this name, so that `addon:metrics` does not show `metrics-2` as well. */
function namesAgree({ values, isNegated }: Term, name: string, isName: (value: string) => boolean): boolean {
  return values.some((value) => (isName(value) ? name === value : name.toLowerCase().includes(value.toLowerCase()))) !== isNegated;
}

function agrees({ values, isNegated }: Term, texts: readonly string[]): boolean {
  return values.some((value) => texts.some((text) => text.toLowerCase().includes(value.toLowerCase()))) !== isNegated;
}

import type { FeedbackFieldValue, FeedbackRule, FeedbackValue } from '@outrigger/api';
import { CostPool, type JsonPath, type KubeObject, compileJsonPath, deepEqual, errorMessage, memoizeText } from '@outrigger/core';
import { canonicalJson } from '@outrigger/core/hash';
import type { FeedbackOptions } from '../state.js';

export interface Feedback {
  readonly values: readonly FeedbackValue[];
  /** Errors for the values that could not be read. The other values are still reported. */
  readonly errors: readonly string[];
}

type ReadOptions = Pick<FeedbackOptions, 'isRawJsonAllowed' | 'maxJsonLength'>;

interface NamedPath {
  readonly name: string;
  readonly path: string;
  readonly version?: string;
}

/** The values that `WellKnownStatus` reports for each kind, in order. */
const WELL_KNOWN: ReadonlyMap<string, readonly NamedPath[]> = new Map([
  [
    'apps/v1/Deployment',
    [
      { name: 'ReadyReplicas', path: '.status.readyReplicas' },
      { name: 'Replicas', path: '.status.replicas' },
      { name: 'AvailableReplicas', path: '.status.availableReplicas' },
    ],
  ],
  [
    'apps/v1/DaemonSet',
    [
      { name: 'NumberReady', path: '.status.numberReady' },
      { name: 'DesiredNumberScheduled', path: '.status.desiredNumberScheduled' },
      { name: 'NumberAvailable', path: '.status.numberAvailable' },
    ],
  ],
  [
    'batch/v1/Job',
    [
      { name: 'JobComplete', path: '.status.conditions[?(@.type=="Complete")].status' },
      { name: 'JobSucceeded', path: '.status.succeeded' },
    ],
  ],
  [
    'v1/Pod',
    [
      { name: 'PodReady', path: '.status.conditions[?(@.type=="Ready")].status' },
      { name: 'PodPhase', path: '.status.phase' },
    ],
  ],
]);

/** The maximum length of a string. A longer string is a document, not a status value. */
const MAX_TEXT = 16_384;

/** The maximum number of values that all paths of one object may visit, including those in reported JSON. */
const OBJECT_COST_LIMIT = 200_000;

const compiled = memoizeText<JsonPath>((path) => compileJsonPath(path));

/**
 * Reads the values that the rules select from a live object. Each name is reported once. Values that the API server would reject are
 * omitted, because it would reject the whole status.
 */
export function readFeedback(object: KubeObject, rules: readonly FeedbackRule[], options: ReadOptions): Feedback {
  const values = new Map<string, FeedbackValue>();
  const errors: string[] = [];
  const pool = new CostPool(OBJECT_COST_LIMIT);
  for (const rule of rules) {
    const paths = rule.type === 'WellKnownStatus' ? WELL_KNOWN.get(`${object.apiVersion}/${object.kind}`) : (rule.jsonPaths ?? []);
    if (!paths) errors.push(`cannot find the wellknown statuses for ${object.apiVersion} ${object.kind}`);
    for (const path of paths ?? []) {
      try {
        const fieldValue = readPath(object, path, options, pool);
        const known = values.get(path.name);
        if (fieldValue && !known) values.set(path.name, { name: path.name, fieldValue });
        else if (fieldValue && !deepEqual(known?.fieldValue, fieldValue)) throw new Error(`the name ${path.name} is used by two rules`);
      } catch (error) {
        errors.push(errorMessage(error));
      }
    }
  }
  return { values: [...values.values()], errors };
}

/** Returns the value at a path, or undefined if it does not exist. Throws if the value cannot be reported. */
function readPath(
  object: KubeObject,
  { name, path, version }: NamedPath,
  options: ReadOptions,
  pool: CostPool,
): FeedbackFieldValue | undefined {
  const actualVersion = object.apiVersion.slice(object.apiVersion.indexOf('/') + 1);
  if (version !== undefined && version !== '' && version !== actualVersion) {
    throw new Error(`version set in the path ${name} is not matched for the related resource: it is ${actualVersion}, not ${version}`);
  }
  const found = compiled(path).find(object, pool);
  const first = options.isRawJsonAllowed && found.length > 1 ? found : found[0];
  if (first === undefined || first === null) return undefined;
  return scalarValue(name, first) ?? rawValue(name, first, options, pool);
}

function scalarValue(name: string, value: unknown): FeedbackFieldValue | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return { type: 'Integer', integer: value };
  if (typeof value === 'boolean') return { type: 'Boolean', boolean: value };
  if (typeof value !== 'string') return undefined;
  if (value.length > MAX_TEXT) throw new Error(`the value of ${name} has ${value.length} characters, at most ${MAX_TEXT} are reported`);
  return { type: 'String', string: value };
}

function rawValue(name: string, value: unknown, { isRawJsonAllowed, maxJsonLength }: ReadOptions, pool: CostPool): FeedbackFieldValue {
  if (!isRawJsonAllowed) throw new Error(`the type of ${name} is not integer, string or boolean`);
  if (!isAffordable(value, pool)) throw new Error(`the JSON of ${name} is too large to report`);
  const jsonRaw = goJson(value);
  if (jsonRaw.length > maxJsonLength) {
    throw new Error(`the JSON of ${name} has ${jsonRaw.length} characters, at most ${maxJsonLength} are reported`);
  }
  return { type: 'JsonRaw', jsonRaw };
}

/**
 * Takes the cost of a value's JSON from the remaining cost limit of the object (OBJECT_COST_LIMIT), and returns whether it was enough.
 * Without the limit, many paths could select the same large part of an object.
 */
function isAffordable(value: unknown, pool: CostPool): boolean {
  if (typeof value === 'string') return pool.take(1 + value.length / 10);
  if (typeof value !== 'object' || value === null) return pool.take(1);
  return pool.take(1) && Object.values(value).every((member) => isAffordable(member, pool));
}

const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
]);

/** Returns compact JSON as Go writes it: sorted keys, and escapes for characters that are special in HTML. */
function goJson(value: unknown): string {
  return canonicalJson(value).replaceAll(/[<>&\u2028\u2029]/g, (char) => ESCAPED.get(char) ?? char);
}

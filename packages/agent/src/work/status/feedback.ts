import type { FeedbackRule, FeedbackValue } from '@outrigger/api';
import { type KubeObject, compileJsonPath, errorMessage } from '@outrigger/core';

export interface Feedback {
  readonly values: readonly FeedbackValue[];
  /** What could not be read, for people; values that could be are reported all the same. */
  readonly errors: readonly string[];
}

interface NamedPath {
  readonly name: string;
  readonly path: string;
  readonly version?: string;
}

/** What `WellKnownStatus` reports of each kind. */
const WELL_KNOWN: Readonly<Record<string, readonly NamedPath[]>> = {
  'apps/v1/Deployment': [
    { name: 'ReadyReplicas', path: '.status.readyReplicas' },
    { name: 'Replicas', path: '.status.replicas' },
    { name: 'AvailableReplicas', path: '.status.availableReplicas' },
  ],
  'apps/v1/DaemonSet': [
    { name: 'NumberReady', path: '.status.numberReady' },
    { name: 'DesiredNumberScheduled', path: '.status.desiredNumberScheduled' },
    { name: 'NumberAvailable', path: '.status.numberAvailable' },
  ],
  'batch/v1/Job': [
    { name: 'JobComplete', path: '.status.conditions[?(@.type=="Complete")].status' },
    { name: 'JobSucceeded', path: '.status.succeeded' },
  ],
  'v1/Pod': [
    { name: 'PodReady', path: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'PodPhase', path: '.status.phase' },
  ],
};

/** Reads the values the rules ask for from a live object. A name is reported once: the API server would refuse the whole status. */
export function readFeedback(object: KubeObject, rules: readonly FeedbackRule[]): Feedback {
  const values = new Map<string, FeedbackValue>();
  const errors: string[] = [];
  for (const rule of rules) {
    const paths = rule.type === 'WellKnownStatus' ? WELL_KNOWN[`${object.apiVersion}/${object.kind}`] : (rule.jsonPaths ?? []);
    if (!paths) {
      errors.push(`cannot find the wellknown statuses for ${object.kind} ${object.apiVersion}`);
      continue;
    }
    for (const path of paths) {
      const result = readPath(object, path);
      if (typeof result === 'string') errors.push(result);
      else if (result && !values.has(path.name)) values.set(path.name, result);
    }
  }
  return { values: [...values.values()], errors };
}

/** The value, undefined where there is none, or what is wrong. */
function readPath(object: KubeObject, { name, path }: NamedPath): FeedbackValue | string | undefined {
  let found: unknown;
  try {
    found = compileJsonPath(path).find(object)[0];
  } catch (error) {
    return `failed to parse json path ${path} of ${name}: ${errorMessage(error)}`;
  }
  if (found === undefined || found === null) return undefined;
  if (typeof found === 'number' && Number.isInteger(found)) return { name, fieldValue: { type: 'Integer', integer: found } };
  if (typeof found === 'string') return { name, fieldValue: { type: 'String', string: found } };
  if (typeof found === 'boolean') return { name, fieldValue: { type: 'Boolean', boolean: found } };
  return `the type of ${name} is not integer, string or boolean`;
}

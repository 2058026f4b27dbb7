import { nowAt, outcomesOf, viewOf } from '@outrigger/kube/testing';
import type { Change } from '@outrigger/kube';
import type { ManagedClusterAddOn } from '@outrigger/api';
import { decide } from '../packages/hub/src/controllers/addon/decide.js';
import { type Hub, addOn, condition, declaration, settledHub, viewOfHub } from '../packages/hub/src/controllers/addon/fixtures.js';
import { observe } from '../packages/hub/src/controllers/addon/observe.js';
import { wakeByAddOn } from '../packages/hub/src/controllers/addon/wake.js';
import { templateCompiler } from '@outrigger/rules/render';
import type { AddOnProjection } from '@outrigger/rules/observed';
import { addOns } from '../packages/hub/src/resources/add-ons.js';

/**
 * Measures the cost of one pass over a settled add-on with 10,000 add-ons in the caches, and which keys a change of one add-on wakes.
 * Prints one JSON line per result.
 *
 *   node --import tsx --conditions=source benchmarks/addon-pass.ts
 */

const CLUSTERS = 100;
const ADD_ONS = 100;
/** The number of other add-ons that depend on `base`. */
const DEPENDENTS = 7;

const settled = settledHub();
const names = Array.from({ length: ADD_ONS - 1 }, (_, i) => `other-${i}`);
const declared = [
  ...settled.declarations,
  ...names.map((name, i) => declaration(name, i > 0 && i <= DEPENDENTS ? { dependencies: [{ name: 'other-0' }] } : {})),
];
const available = { conditions: [condition('Available', 'True', 'ProbeAvailable')] };
const others: ManagedClusterAddOn[] = [];
for (let cluster = 1; cluster <= CLUSTERS; cluster++) {
  for (const name of names) {
    const one = addOn(name, { status: available });
    others.push({ ...one, metadata: { ...one.metadata, namespace: `c${cluster}` } });
  }
}
const hub: Hub = { ...settled, declarations: declared, others };
const view = viewOfHub(hub);
const compile = templateCompiler();
const options = { otherConfigs: hub.otherConfigs, contentNamespace: 'default' };
const now = nowAt(Date.parse('2026-01-01T00:00:00Z'));

function pass(): number {
  const start = performance.now();
  const state = observe(view, { namespace: 'c1', name: 'hello' }, outcomesOf(), options);
  const decision = state && decide(state, now, compile);
  if (decision?.stages.length !== 0) throw new Error('a settled add-on asks for writes');
  return performance.now() - start;
}

for (let i = 0; i < 2000; i++) pass();
const before = process.cpuUsage();
const times = Array.from({ length: 5000 }, pass).sort((a, b) => a - b);
const { user, system } = process.cpuUsage(before);
/** The CPU cost does not depend on the load of the machine. */
const cpuMs = Number(((user + system) / 1000 / times.length).toFixed(4));
const percentile = (share: number): number => Number((times[Math.floor(times.length * share)] ?? 0).toFixed(4));

function projectionOf(status: NonNullable<ManagedClusterAddOn['status']>): AddOnProjection {
  const one = addOn('other-0', { status });
  const projection = viewOf([addOns, [one]]).get(addOns, { namespace: 'c1', name: 'other-0' });
  if (!projection) throw new Error('not projected');
  return projection;
}
const flip: Change<AddOnProjection> = {
  before: projectionOf(available),
  after: projectionOf({ conditions: [condition('Available', 'False', 'ProbeUnavailable')] }),
};
const woken = wakeByAddOn(flip, view).length;
if (woken !== DEPENDENTS + 1) throw new Error(`a flip wakes ${woken} add-ons instead of itself and its ${DEPENDENTS} dependents`);

const results = [
  { name: 'pass over a settled add-on among 10,000, p50', value: percentile(0.5), unit: 'ms', budget: 0.5 },
  { name: 'pass over a settled add-on among 10,000, p99', value: percentile(0.99), unit: 'ms', budget: 2 },
  { name: 'pass over a settled add-on among 10,000, CPU', value: cpuMs, unit: 'ms', budget: 0.5 },
  { name: 'add-ons woken by a flip with 7 dependents', value: woken, unit: 'passes', budget: DEPENDENTS + 1 },
];
for (const result of results) console.log(JSON.stringify(result));

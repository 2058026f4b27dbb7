import type { ManifestWork } from '@outrigger/api';
import { encodeFleet } from '@outrigger/console-contract';
import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { ConsoleState } from '../state/state.js';
import { failureGroups } from './failures.js';
import { fleetTable } from './fleet.js';
import { MAX_CONTENT } from './limits.js';
import { SEES_ALL } from './sight.js';
import { workItems } from './works.js';

const HUGE = 'x'.repeat(1_000_000);
const object = (fields: object): KubeObject => ({ apiVersion: 'v1', kind: 'Any', ...fields }) as KubeObject;
const rules = { redact: <T>(manifest: T): T => manifest, diff: () => [], plan: async () => Promise.reject(new Error('no plan')) };

describe('an object with large texts', () => {
  it('adds little to the fleet that every user loads', () => {
    const state = new ConsoleState();
    const labels = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`label-${index}`, 'x'.repeat(60)]));
    const status = { version: { kubernetes: HUGE }, clusterClaims: [{ name: 'a', value: HUGE }] };
    state.setCluster(object({ metadata: { name: 'c1', labels }, spec: { hubAcceptsClient: true }, status }), 'c1');
    const conditions = [{ type: 'Progressing', status: 'False', reason: HUGE, message: HUGE }];
    state.setAddOn(
      object({ metadata: { namespace: 'c1', name: 'hello' }, spec: {}, status: { currentVersion: HUGE, conditions } }),
      'c1',
      'hello',
    );
    const snapshot = encodeFleet(fleetTable(state, SEES_ALL, { epoch: 'e', sequence: 1, now: 0 }));
    expect(JSON.stringify(snapshot).length).toBeLessThan(20_000);
    expect(JSON.stringify(failureGroups(state, SEES_ALL)).length).toBeLessThan(3_000);
  });

  it('is listed without its content if the manifests of a page are too large together', () => {
    const manifest = (name: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text: HUGE } });
    const work = object({ metadata: { name: 'w' }, spec: { workload: { manifests: ['a', 'b', 'c'].map(manifest) } } }) as ManifestWork;
    const items = workItems([work, work], rules, true).flatMap(({ manifests }) => manifests);
    expect(items.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
    expect(items.reduce((sum, { yaml }) => sum + yaml.length, 0)).toBeLessThanOrEqual(MAX_CONTENT);
    expect(items.map(({ yaml, isLeftOut }) => (yaml === '') === (isLeftOut === true))).not.toContain(false);
    expect(items.at(-1)?.isLeftOut).toBe(true);
    expect(workItems([work], rules, false)[0]?.manifests[0]).not.toHaveProperty('isLeftOut');
  });
});

describe('AT-29 the works of a cluster', () => {
  it.each([
    ['Secret', 'v1', '(hidden)'],
    ['Secret', 'example.com/v1', 'canary'],
    ['ConfigMap', 'v1', 'canary'],
  ])('show the values that the agent reports of a %s of %s as %s', (kind, apiVersion, shown) => {
    const values = [{ name: 'key', fieldValue: { type: 'String', string: 'canary' } }];
    const report = { resourceMeta: { ordinal: 0 }, conditions: [], statusFeedback: { values } };
    const manifests = [{ apiVersion, kind, metadata: { name: 'a' } }];
    const work = object({
      metadata: { name: 'w' },
      spec: { workload: { manifests } },
      status: { resourceStatus: { manifests: [report] } },
    });
    const [item] = workItems([work as ManifestWork], rules, true);
    expect(item?.manifests[0]?.feedback).toEqual([{ name: 'key', value: shown }]);
  });
});

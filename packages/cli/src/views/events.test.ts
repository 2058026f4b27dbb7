import { expect, it } from 'vitest';
import { LISTINGS } from '../commands/get/listings.js';
import type { FleetEvent } from './events.js';

const event = (name: string, createdAt: string, lastTimestamp?: string | null): FleetEvent =>
  ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, creationTimestamp: createdAt },
    involvedObject: { apiVersion: 'addon.open-cluster-management.io/v1alpha1', name: 'hello' },
    ...(lastTimestamp === undefined ? {} : { lastTimestamp }),
  }) as FleetEvent;

it('events are in the order of the column LAST SEEN, also those without lastTimestamp', async () => {
  const events = [
    event('third', '2026-01-01T00:03:00Z', null),
    event('first', '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'),
    event('second', '2026-01-01T00:02:00Z'),
  ];
  const source = { list: () => Promise.resolve(events as never) };
  const { rows, object } = await LISTINGS.events(source, { kind: 'events', output: 'table' });
  expect(rows.map((row) => object(row).metadata.name)).toEqual(['first', 'second', 'third']);
});

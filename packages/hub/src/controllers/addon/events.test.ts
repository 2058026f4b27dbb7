import type { Condition } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { addOns } from '../../resources/add-ons.js';
import { statusEvents } from './events.js';
import { addOn, condition } from './fixtures.js';

function events(before: readonly Condition[], next: readonly Condition[], currentVersion = ''): string[] {
  const clusterAddOn = addOns.project(addOn('hello', { status: { conditions: before } }), (value) => value);
  const status = { conditions: next, ...(currentVersion === '' ? {} : { currentVersion }) };
  return statusEvents({ clusterAddOn: clusterAddOn }, status).map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
}

const progressing = (status: Condition['status'], reason: string, message = ''): Condition =>
  condition('Progressing', status, reason, message);
const lacking = condition('Degraded', 'True', 'RequiredDependencyNotSatisfied', 'no base');

describe('add-on: events', () => {
  it.each([
    ['an installation', progressing('True', 'Installing'), 'Normal Installed: version v1'],
    ['an upgrade', progressing('True', 'Upgrading'), 'Normal Upgraded: version v1'],
    ['a rollback', progressing('True', 'Rollingback'), 'Normal RolledBack: version v1'],
    ['a new configuration', progressing('True', 'Reconfiguring'), 'Normal Reconfigured: version v1'],
    ['a move that had failed', progressing('False', 'Failed'), 'Normal Reconfigured: version v1'],
  ])('report that %s has arrived', (_, before, want) => expect(events([before], [progressing('False', 'Succeed')], 'v1')).toEqual([want]));

  it('report a first arrival before the first status', () =>
    expect(events([], [progressing('False', 'Succeed', 'done')])).toEqual(['Normal Installed: done']));
  it('report a failure, and another one', () => {
    expect(events([progressing('True', 'Installing')], [progressing('False', 'Failed', 'a')])).toEqual(['Warning Failed: a']);
    expect(events([progressing('False', 'Failed', 'a')], [progressing('False', 'Failed', 'b')])).toEqual(['Warning Failed: b']);
  });
  it('report a missing dependency once', () => {
    expect(events([], [lacking])).toEqual(['Warning DependencyNotSatisfied: no base']);
    expect(events([lacking], [lacking])).toEqual([]);
  });
  it.each([
    ['ManifestApplied', 'AddonManifestAppliedFailed', 'ApplyFailed'],
    ['RegistrationApplied', 'SetPermissionFailed', 'RegistrationRefused'],
  ])('report each message of %s once, and nothing when it recovers', (type, reason, want) => {
    const refused = (message: string): Condition => condition(type, 'False', reason, message);
    const fine = condition(type, 'True', 'Fine');
    expect(events([], [refused('a')])).toEqual([`Warning ${want}: a`]);
    expect(events([fine], [refused('a')])).toEqual([`Warning ${want}: a`]);
    expect(events([refused('a')], [refused('a')])).toEqual([]);
    expect(events([refused('a')], [refused('b')])).toEqual([`Warning ${want}: b`]);
    expect(events([refused('a')], [fine])).toEqual([]);
  });
  it('leave a request that could not be signed to the controller of requests, and report no registration that is only pending', () => {
    const problem = 'Failed to set permission for hub agent: certificate request r could not be signed: no right';
    expect(events([], [condition('RegistrationApplied', 'False', 'SetPermissionFailed', problem)])).toEqual([]);
    expect(events([], [condition('RegistrationApplied', 'False', 'PermissionConfigPending', 'wait')])).toEqual([]);
  });
  it('report nothing while a move is in progress', () => expect(events([], [progressing('True', 'Installing')])).toEqual([]));
});

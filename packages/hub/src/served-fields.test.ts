import { KIND_DEFINITIONS, customResourceDefinition, managedClusterAddOns } from '@outrigger/api';
import { ApiError, type JsonObject, type LogFields, type Logger } from '@outrigger/core';
import type { Action, Client, Controller, Decision } from '@outrigger/kube';
import { nowAt } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { ServedFields } from './served-fields.js';

type Definition = JsonObject & { metadata: { name: string } };

/** A hub with these CRDs, and the log lines that are written while they are read. */
function hubWith(definitions: readonly Definition[]): { client: Client; log: Logger; logged: string[] } {
  const logged: string[] = [];
  const note = (level: string) => (fields: LogFields, message: string) =>
    void logged.push(`${level} ${message} ${JSON.stringify(fields['features'] ?? '')}`);
  const log: Logger = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error'), child: () => log };
  const client = {
    async get(_: unknown, { name }: { name: string }) {
      const found = definitions.find(({ metadata }) => metadata.name === name);
      if (!found) throw new ApiError('NotFound', `${name} not found`);
      return found;
    },
  } as unknown as Client;
  return { client, log, logged };
}

const OURS = KIND_DEFINITIONS.map((definition) => JSON.parse(JSON.stringify(customResourceDefinition(definition))) as Definition);

/** A CRD without the version fields. */
function withoutVersions(definition: Definition): Definition {
  return JSON.parse(
    JSON.stringify(definition, (key, value: unknown) =>
      ['currentVersion', 'lastVersion', 'installVersion', 'supportedVersions', 'defaultVersion'].includes(key) ? undefined : value,
    ),
  ) as Definition;
}

const status: Action = {
  type: 'patch',
  id: 'status',
  api: 'hub',
  kind: managedClusterAddOns,
  key: { namespace: 'c1', name: 'a' },
  subresource: 'status',
  patch: { status: { currentVersion: 'v1', conditions: [] } },
  precondition: { uid: 'u' },
};
const decideOnce = (served: ServedFields, actions: readonly Action[]): Decision => {
  const controller: Controller<number> = { name: 'x', watches: [], observe: () => 1, decide: () => ({ stages: [actions] }) };
  return served.guard(controller).decide(1, nowAt(0));
};

describe('the fields that the CRDs of a hub have', () => {
  it('reports nothing and leaves nothing out if they are ours', async () => {
    const { client, log, logged } = hubWith(OURS);
    const served = new ServedFields();
    await served.read(client, log);
    expect(logged).toEqual([]);
    expect(decideOnce(served, [status]).stages).toEqual([[status]]);
  });

  it('reports once which features are off, and leaves out fields that the server would drop', async () => {
    const { client, log, logged } = hubWith(OURS.map(withoutVersions));
    const served = new ServedFields();
    await served.read(client, log);
    expect(logged).toEqual([expect.stringMatching(/^warn the definitions on this hub lack fields.*\["versions"\]$/)]);
    expect(decideOnce(served, [status]).stages).toEqual([[{ ...status, patch: { status: { conditions: [] } } }]]);
    const onlyVersions = { ...status, patch: { status: { currentVersion: 'v1' } } } as Action;
    expect(decideOnce(served, [onlyVersions]).stages).toEqual([]);
  });

  it('reports the remedy if AddOnRollout is not defined', async () => {
    const { client, log, logged } = hubWith(OURS.filter(({ metadata }) => !metadata.name.startsWith('addonrollouts')));
    await new ServedFields().read(client, log);
    expect(logged).toEqual([expect.stringContaining('error AddOnRollout is not defined on this hub')]);
    expect(logged[0]).toContain('outrigger install hub --apply');
  });
});

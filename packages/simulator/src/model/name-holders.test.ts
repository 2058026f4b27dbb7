import { describe, expect, it } from 'vitest';
import { type LogEntry, ObjectHistory, type Stored } from './log.js';
import { NameHolders } from './name-holders.js';

const REQUESTS = 'certificatesigningrequests';
const CLUSTERS = 'managedclusters';
const NAMESPACES = 'namespaces';
const cluster: Stored = { metadata: { name: 'c1' } };
const approved = { conditions: [{ type: 'Approved', status: 'True', reason: 'Any' }] };

function request(machine: string, asks: string, status: object = {}, wrong: Readonly<Record<string, string>> = {}): Stored {
  return {
    metadata: {
      name: `${machine}-${asks}`,
      labels: {
        'open-cluster-management.io/cluster-name': 'c1',
        ...(asks === 'add-on' ? { 'open-cluster-management.io/addon-name': 'beta' } : {}),
      },
      annotations: { 'sim.outrigger.dev/machine': machine, 'sim.outrigger.dev/asks': asks, ...wrong },
    },
    spec: { expirationSeconds: 3_600 },
    status,
  };
}

/** A hub on which the first machine has joined as c1, and has a certificate for an hour. */
class Hub {
  readonly history: ObjectHistory = new ObjectHistory(
    new Map([
      [CLUSTERS, new Map([['c1', cluster]])],
      ['managedclusteraddons', new Map([['c1/beta', { metadata: { namespace: 'c1', name: 'beta' } }]])],
    ]),
  );
  readonly holders: NameHolders = new NameHolders(this.history, false);
  #index = 0;
  #now = 0;

  constructor() {
    this.approve('first', 'join');
    this.write(REQUESTS, request('first', 'join', approved), request('first', 'join', { ...approved, certificate: 'signed' }), 'signer');
  }

  after(ms: number): this {
    this.#now += ms;
    return this;
  }

  detach(): this {
    this.write(CLUSTERS, cluster, undefined, 'person');
    this.write(CLUSTERS, undefined, cluster, 'person');
    return this;
  }

  allowReuse(): this {
    const annotations = { 'outrigger.dev/agent-identity': '{"reuse":true}' };
    this.write(NAMESPACES, { metadata: { name: 'c1' } }, { metadata: { name: 'c1', annotations } }, 'person');
    return this;
  }

  /**
   * Lets the hub approve a request. `seen` is the number of log entries that the hub has read; by default, all of them. Returns the
   * violations.
   */
  approve(machine: string, asks: string, wrong: Readonly<Record<string, string>> = {}, seen: number = this.#index): readonly string[] {
    return this.write(REQUESTS, request(machine, asks, {}, wrong), request(machine, asks, approved, wrong), 'hub', seen);
  }

  write(kind: string, before: Stored | undefined, after: Stored | undefined, actor: string, seen = 0): readonly string[] {
    const [index, at] = [this.#index++, this.#now];
    const pass = { process: 'hub-0', controller: 'registration', key: '', at, seen: countOf(seen) };
    const entry: LogEntry = { index, at, actor, kind, id: (after ?? before)?.metadata.name ?? '', before, after, pass: undefined };
    const found = this.holders.judge(actor === 'hub' ? { ...entry, pass } : entry);
    this.history.add(entry);
    return found.map(({ message }) => message);
  }
}

function countOf(seen: number): Readonly<Record<string, number>> {
  return { [REQUESTS]: seen, [NAMESPACES]: seen, [CLUSTERS]: seen, managedclusteraddons: seen };
}

const HOUR_MS = 3_600_000;

describe('only the machine that holds a name gets certificates', () => {
  it.each<[string, (hub: Hub) => readonly string[], number]>([
    ['the holder renews', (hub) => hub.approve('first', 'renew'), 0],
    ['the holder joins again', (hub) => hub.approve('first', 'join'), 0],
    ['the holder gets a certificate of its add-on', (hub) => hub.approve('first', 'add-on'), 0],
    ['another machine renews', (hub) => hub.approve('second', 'renew'), 1],
    ['another machine gets a certificate of an add-on', (hub) => hub.approve('second', 'add-on'), 1],
    ['another machine joins', (hub) => hub.approve('second', 'join'), 1],
    ['another machine joins after a detach', (hub) => hub.detach().approve('second', 'join'), 1],
    [
      'another machine joins after a detach, when the last certificate has expired',
      (hub) => hub.detach().after(HOUR_MS).approve('second', 'join'),
      0,
    ],
    ['another machine joins after a detach and a confirmed reuse', (hub) => hub.detach().allowReuse().approve('second', 'join'), 0],
    ['a reuse that was confirmed before the detach does not count', (hub) => hub.allowReuse().detach().approve('second', 'join'), 1],
    ['a request is wrong', (hub) => hub.approve('first', 'add-on', { 'sim.outrigger.dev/wrong': 'usages' }), 1],
  ])('%s', (_, act, violations) => {
    expect(act(new Hub())).toHaveLength(violations);
  });

  it('the machine before the holder renews, unless the hub has not yet read that another one joined', () => {
    const hub = new Hub().detach().allowReuse();
    const seen = 5;
    expect(hub.approve('second', 'join')).toEqual([]);
    expect(hub.approve('first', 'renew', {}, seen)).toEqual([]);
    expect(hub.approve('first', 'renew')).toHaveLength(1);
  });

  it('at the end the last request of the holder must be signed, and those of other machines need not', () => {
    const hub = new Hub();
    expect(hub.holders.judgeEnd()).toEqual([]);
    hub.write(REQUESTS, undefined, request('second', 'renew'), 'machine');
    expect(hub.holders.judgeEnd()).toEqual([]);
    hub.write(REQUESTS, undefined, request('first', 'renew'), 'machine');
    expect(hub.holders.judgeEnd()).toHaveLength(1);
  });
});

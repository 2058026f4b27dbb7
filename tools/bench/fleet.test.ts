import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { growthBetween } from '../../benchmarks/fleet/growth.js';
import { keepFleet, keptFleet, keptFleetProblem, unkeepFleet } from '../../benchmarks/fleet/kept-fleet.js';
import { commandOf, fleetOptions, resultName } from '../../benchmarks/fleet/options.js';
import { page } from '../../benchmarks/fleet/page.js';
import { type FleetReport, type ScenarioResult, isValidBeside } from '../../benchmarks/fleet/report.js';
import type { StoredReport } from '../../benchmarks/fleet/results.js';
import { isSelected, selectedCount } from '../../benchmarks/fleet/selection.js';

const optionsOf = (text: string): ReturnType<typeof fleetOptions> => fleetOptions(text.split(' ').filter((part) => part !== ''));

describe('the options of the fleet benchmark', () => {
  it.each([
    ['--agents real --clusters 301', '--agents real runs at most 300 clusters, not 301: use --agents swarm for more'],
    ['--agents real --hub kube', '--agents real needs --hub embedded'],
    ['--agents real --no-tls', '--agents real needs TLS'],
    ['--agents real --scenarios away,edit', '--scenarios away needs --agents swarm'],
    ['--agents real --delay 5', '--delay is for --agents swarm'],
    ['--agents real --controllers all', '--controllers all is for --agents swarm'],
    ['--controllers some', '--controllers: one of add-ons, all, not some'],
    ['--agents few', '--agents: one of swarm, real, not few'],
    ['--no-tls --hub kube', '--no-tls needs --hub embedded'],
    ['--no-tls --scenarios connections', 'need TLS'],
    ['--hub kube --scenarios certificates', '--scenarios certificates needs --hub embedded'],
    ['--scenarios edit-2', '--scenarios: one of install, edit,'],
    ['--clusters 0', '--clusters is at least 1'],
    ['--clusters many', '--clusters is a whole number, not many'],
    ['--share 0', '--share is a percentage from 1 to 50'],
    ['--store fleet --hub kube', '--store needs --hub embedded and --agents swarm'],
    ['--store fleet --agents real', '--store needs --hub embedded and --agents swarm'],
  ])('%s is refused', (text, message) => {
    expect(() => optionsOf(text)).toThrow(message);
  });

  it('accept 300 real agents, and leave out the scenarios that these cannot play', () => {
    const { scenarios } = optionsOf('--agents real --clusters 300');
    expect([...scenarios]).toEqual([
      'install',
      'edit',
      'edit-one',
      'edit-100',
      'progressive',
      'groups',
      'rollback',
      'join',
      'failover',
      'restart',
    ]);
  });

  it('install first, unless only the day of virtual time is named', () => {
    expect([...optionsOf('--scenarios idle').scenarios]).toEqual(['install', 'idle']);
    expect([...optionsOf('--scenarios day').scenarios]).toEqual(['day']);
  });

  it('are in the command and the file name of the result', () => {
    const options = optionsOf('--clusters 50 --addons 3 --no-tls --no-ceiling --share 20 --scenarios install,edit');
    expect(commandOf(options)).toBe(
      'npm run bench:fleet -- --clusters 50 --addons 3 --hub embedded --share 20 --no-tls --no-ceiling --scenarios install,edit',
    );
    expect(resultName(options)).toBe('fleet-embedded-50x3-no-tls-install-edit');
    expect(resultName(optionsOf('--agents real'))).toBe('fleet-embedded-100x2-real');
    const whole = optionsOf('--controllers all');
    expect(commandOf(whole)).toBe('npm run bench:fleet -- --clusters 100 --addons 2 --hub embedded --controllers all');
    expect(resultName(whole)).toBe('fleet-embedded-100x2-all-controllers');
  });
});

describe('a kept fleet', () => {
  it('is used by a run of its size after a scenario has ended, and not while one changes it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'outrigger-kept-'));
    const fleet = { clusters: 20, addOns: 3, image: 'example.com/agent:2' };
    expect(keptFleet(folder)).toBeUndefined();
    keepFleet(folder, fleet);
    expect(keptFleet(folder)).toEqual(fleet);
    expect(keptFleetProblem(fleet, fleet)).toBeUndefined();
    expect(keptFleetProblem(fleet, { clusters: 30, addOns: 3 })).toContain('has a fleet of 20 × 3, not 30 × 3');
    unkeepFleet(folder);
    expect(keptFleet(folder)).toBeUndefined();
    await writeFile(join(folder, 'data'), '');
    expect(() => keptFleet(folder)).toThrow('is not settled, because a run was interrupted');
    await rm(folder, { recursive: true });
  });

  it('has no ceiling, whose writes would stay in it', () => {
    expect(optionsOf('--store fleet').ceiling).toBe(false);
  });
});

function scenario(name: string, requestsPerAddOn: number, managerCpuMsPerAddOn: number): ScenarioResult {
  const nothing = { managerCpuMs: 0, managerMb: 0, serverCpuMs: 0, serverMb: 0, swarmCpuMs: 0, swarmMb: 0, swarmLoopP99Ms: 0 };
  return { name, seconds: 1, requests: {}, requestsPerAddOn, managerCpuMsPerAddOn, ...nothing };
}

function stored(clusters: number, scenarios: readonly ScenarioResult[], more: Partial<FleetReport> = {}): StoredReport {
  const base = { node: 'v20', machine: 'two cores', command: 'bench', addOns: 2, hub: 'embedded', delayMs: 0, connections: 16 } as const;
  return { file: `fleet-${clusters}.json`, report: { ...base, at: '2026-01-01', clusters, scenarios, ...more } };
}

const both = (requests: number, cpu: number): readonly ScenarioResult[] => [
  scenario('cold install', requests, cpu),
  scenario('template edit on all', 3, 2),
];
const SIZES = { small: 1_000, large: 10_000, addOns: 2, hub: 'embedded' };

describe('growth between two sizes', () => {
  it.each([
    { requests: 4, cpu: 3, isWithin: true },
    { requests: 4.07, cpu: 3.9, isWithin: true },
    { requests: 4.1, cpu: 3, isWithin: false },
    { requests: 3.9, cpu: 3, isWithin: false },
    { requests: 4, cpu: 3.95, isWithin: false },
  ])('from 4 to $requests requests and from 3 to $cpu ms: $isWithin', ({ requests, cpu, isWithin }) => {
    const growth = growthBetween([stored(1_000, both(4, 3)), stored(10_000, both(requests, cpu))], SIZES);
    expect(growth.isWithin, growth.lines.join('\n')).toBe(isWithin);
  });

  it('uses the newest result with TLS and a swarm, and names the command if there is none', () => {
    const small = stored(1_000, both(4, 3));
    const reports = [
      small,
      stored(10_000, both(9, 9)),
      stored(10_000, both(4, 3), { at: '2026-02-01' }),
      stored(10_000, both(9, 9), { at: '2026-03-01', tls: false }),
      stored(10_000, both(9, 9), { at: '2026-03-01', agents: 'real' }),
      stored(10_000, both(9, 9), { at: '2026-03-01', controllers: 'all' }),
      stored(10_000, [scenario('cold install', 9, 9)], { at: '2026-03-01' }),
    ];
    expect(growthBetween(reports, SIZES).isWithin).toBe(true);
    expect(() => growthBetween([small], SIZES)).toThrow('make one with: npm run bench:fleet -- --clusters 10000 --addons 2 --hub embedded');
  });
});

describe('a result', () => {
  it('is valid only if the agents were late by less than a tenth of it', () => {
    expect(isValidBeside(99, 1)).toBe(true);
    expect(isValidBeside(100, 1)).toBe(false);
    expect(isValidBeside(0, 0)).toBe(false);
  });

  it('is on the page with its validity, its problem and its connections, and plotted by size', () => {
    const install = { ...scenario('cold install', 4, 3), isValid: false, problem: '3 works changed instead of 4' };
    const text = page([
      stored(1_000, [install], { missing: ['edit'] }),
      stored(3_000, both(4, 3)),
      stored(300, both(5, 5), { agents: 'real' }),
      stored(100, both(6, 6), { tls: false }),
    ]);
    for (const part of [
      'not valid',
      '3 works changed instead of 4',
      '16 connections of agents',
      'The run ended before: edit',
      '3,000 clusters: 4',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain('300 clusters: 5 ');
    expect(text.indexOf('real agents</h3>')).toBeGreaterThan(text.indexOf('Runs with real agents, with all controllers, and without TLS'));
    expect(text.indexOf('without TLS</h3>')).toBeGreaterThan(text.indexOf('Runs with real agents, with all controllers, and without TLS'));
    expect(text).not.toContain('<script');
  });
});

it('a share selects as many clusters as it counts', () => {
  for (const share of [0, 0.01, 0.1, 0.25, 0.3, 0.5]) {
    for (const clusters of [1, 9, 10, 11, 100, 1_001]) {
      const selected = Array.from({ length: clusters }, (_, index) => index).filter((index) => isSelected(index, share));
      expect(selected.length, `${share} of ${clusters}`).toBe(selectedCount(clusters, share));
    }
  }
});

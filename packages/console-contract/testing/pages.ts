import type { OfferedAction } from '../src/actions.js';
import type { ViewRequest } from '../src/addresses.js';
import { CELL_STATES, CLUSTER_STATES, type CellState, type ClusterState, type FleetAddOn, type FleetCell } from '../src/fleet.js';
import { type FleetTable, encodeFleet } from '../src/fleet-table.js';
import { decision, gates } from './gates.js';
import { AT, later } from './times.js';
import type {
  ActivityGroup,
  ActivityItem,
  AddOnPage,
  AddOnSummary,
  Attention,
  CellPage,
  ClusterPage,
  ConditionItem,
  FailureGroup,
  LaneCluster,
  LaneCounts,
  LanePhase,
  ManifestDiff,
  ObjectLink,
  ObjectPage,
  PlanForecast,
  PlanPage,
  Progress,
  RecordedCluster,
  ReplayPage,
  RevisionItem,
  RolloutPage,
  Summary,
  ViewData,
} from '../src/views/index.js';

/** Returns a view of a synthetic fleet in the form that the server returns; undefined if the fleet has no such add-on or cluster. */
export function syntheticView(fleet: FleetTable, request: ViewRequest): ViewData | undefined {
  switch (request.view) {
    case 'fleet':
      return encodeFleet(fleet);
    case 'summary':
      return summary(fleet);
    case 'add-on':
      return addOnPage(fleet, request.addOn);
    case 'rollout':
      return rolloutPage(fleet, request.addOn);
    case 'plan':
      return planPage(fleet, request.addOn, request.revision);
    case 'replay':
      return replayPage(fleet, request.addOn, request.record);
    case 'cluster':
      return clusterPage(fleet, request.cluster);
    case 'cell':
      return cellPage(fleet, request.cluster, request.addOn);
    case 'activity':
      return { groups: groupsOf(activity(fleet)), reachesBackTo: '2026-11-16T02:00:00Z', hasMore: false };
    case 'object':
      return objectPage(request);
  }
}

function counts<Name extends string>(names: readonly Name[], values: Iterable<Name>): Record<Name, number> {
  const found = Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
  for (const value of values) found[value]++;
  return found;
}

function cellsOf({ rows }: FleetTable, addOn?: string): readonly (FleetCell & { readonly cluster: string })[] {
  return [...rows].flatMap(([cluster, { cells }]) =>
    [...cells].filter(([name]) => addOn === undefined || name === addOn).map(([, cell]) => ({ ...cell, cluster })),
  );
}

function summary(fleet: FleetTable): Summary {
  const halted = fleet.addOns.find(({ rollout }) => rollout === 'Halted');
  const unreachable = [...fleet.rows].filter(([, { row }]) => row.state === 'unreachable');
  return {
    clusters: counts<ClusterState>(
      CLUSTER_STATES,
      [...fleet.rows.values()].map(({ row }) => row.state),
    ),
    cells: counts<CellState>(
      CELL_STATES,
      cellsOf(fleet).map(({ state }) => state),
    ),
    addOns: fleet.addOns.map((addOn): AddOnSummary => {
      const cells = cellsOf(fleet, addOn.name);
      const versions = [...new Set(cells.map(({ version }) => version))];
      return {
        ...addOn,
        cells: counts<CellState>(
          CELL_STATES,
          cells.map(({ state }) => state),
        ),
        versions: versions.map((version) => ({ version, count: cells.filter((cell) => cell.version === version).length })),
      };
    }),
    attention: [
      ...(halted
        ? [{ type: 'halted' as const, addOn: halted.name, text: `${halted.name}: too many clusters failed`, since: AT, count: 1 }]
        : []),
      ...fleet.addOns
        .filter(({ isPaused }) => isPaused)
        .map(({ name }) => ({
          type: 'paused' as const,
          addOn: name,
          text: `${name} is paused`,
          since: AT,
          count: 1,
          action: action('resume', name),
        })),
      ...fleet.addOns.slice(2, 3).map(({ name }) => ({
        type: 'approval' as const,
        addOn: name,
        text: `${name}: default/all-clusters waits for an approval: needs 1 approval before group production`,
        since: AT,
        count: 4,
        action: decision('approve', name),
      })),
      ...fleet.addOns.slice(1, 2).map(({ name }) => ({
        type: 'held' as const,
        addOn: name,
        text: `${name} is pinned at revision 1`,
        since: AT,
        count: 1,
        action: {
          action: { action: 'follow' as const, addOn: name },
          label: 'Follow the declaration',
          command: `outrigger rollback ${name} --clear`,
        },
      })),
      unreachableItem(unreachable.map(([name]) => name)),
    ],
    isFleetPaused: false,
    failures: failures(fleet),
  };
}

function unreachableItem(names: readonly string[]): Attention {
  const [cluster = ''] = names;
  const base = { type: 'unreachable', since: AT, count: names.length } as const;
  return names.length === 1
    ? { ...base, cluster, text: `${cluster} is not reachable` }
    : { ...base, clusters: names.slice(0, 50), text: `${names.length} clusters are not reachable` };
}

function failures(fleet: FleetTable, addOn?: string): readonly FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const one of addOn === undefined ? fleet.addOns : fleet.addOns.filter(({ name }) => name === addOn)) {
    for (const { reason, cluster } of cellsOf(fleet, one.name)) {
      if (reason === '') continue;
      const before = groups.get(reason) ?? {
        reason,
        count: 0,
        addOns: [],
        messages: [`the agent reports ${reason}`],
        moreMessages: 0,
        clusters: [],
      };
      const isNew = before.addOns.at(-1)?.name !== one.name;
      const addOns = isNew ? [...before.addOns, { name: one.name, count: 0 }] : before.addOns;
      groups.set(reason, {
        ...before,
        count: before.count + 1,
        addOns: addOns.map((each) => (each.name === one.name ? { ...each, count: each.count + 1 } : each)),
        clusters: [...before.clusters, cluster].slice(0, 5),
      });
    }
  }
  return [...groups.values()]
    .sort((a, b) => b.count - a.count)
    .map((group) => ({ ...group, addOns: [...group.addOns].sort((a, b) => b.count - a.count) }));
}

const PHASES: Readonly<Record<CellState, LanePhase>> = {
  absent: 'waiting',
  available: 'done',
  degraded: 'soaking',
  progressing: 'inFlight',
  waiting: 'waiting',
  removing: 'waiting',
  unknown: 'inFlight',
  unreachable: 'parked',
  unavailable: 'inFlight',
  blocked: 'waiting',
  failed: 'failed',
};

function lane(fleet: FleetTable, addOn: string): { readonly counts: LaneCounts; readonly clusters: readonly LaneCluster[] } {
  const clusters = cellsOf(fleet, addOn).map(({ cluster, state, version, reason }, index): LaneCluster => {
    const phase = PHASES[state];
    const endedAt = phase === 'done' || phase === 'failed' ? { endedAt: later(60 + 40 * index) } : {};
    const admittedAt = phase === 'waiting' ? {} : { admittedAt: later(20 + 40 * index) };
    const until = phase === 'soaking' ? { until: later(7_200 + 60 * index) } : {};
    return { name: cluster, phase, version, reason, since: AT, ...admittedAt, ...endedAt, ...until };
  });
  const of = (phase: LanePhase): number => clusters.filter((one) => one.phase === phase).length;
  const all = {
    selected: clusters.length,
    waiting: of('waiting'),
    inFlight: of('inFlight'),
    soaking: of('soaking'),
    done: of('done'),
    failed: of('failed'),
    skipped: of('skipped'),
    parked: of('parked'),
  };
  const perPhase = new Map<LanePhase, number>();
  return {
    counts: all,
    clusters: clusters.filter(({ phase }) => {
      const before = perPhase.get(phase) ?? 0;
      perPhase.set(phase, before + 1);
      return before < 200;
    }),
  };
}

/** The only entry of an add-on, with the counts of its clusters. */
function entryOf({ target, rollout }: FleetAddOn, counts: LaneCounts) {
  return {
    ...counts,
    name: 'default/all-clusters',
    targetRevision: 3,
    targetVersion: target,
    state: rollout,
    message: '',
    startedAt: AT,
    strategy: 'Progressive',
  };
}

function rolloutPage(fleet: FleetTable, name: string): RolloutPage | undefined {
  const addOn = fleet.addOns.find((one) => one.name === name);
  if (addOn === undefined) return undefined;
  const { counts: all, clusters } = lane(fleet, name);
  return {
    addOn: name,
    state: addOn.rollout,
    isPaused: addOn.isPaused,
    target: addOn.target,
    entries: [
      {
        ...entryOf(addOn, all),
        slots: 25,
        failureBudget: 5,
        soakMs: 300_000,
        gates: gates(name),
        groups: [{ ...all, name: '', clusters }],
        ...(addOn.rollout === 'Completed' ? { record: 'record-3' } : {}),
        slip: { p50: later(4_800), p90: later(6_000), lateMs: addOn.rollout === 'Halted' ? 720_000 : 0 },
      },
    ],
    isFleetPaused: false,
    forecast:
      addOn.rollout === 'Progressing'
        ? { endsAt: later(5_400), message: `${all.waiting + all.inFlight + all.soaking} clusters are left` }
        : { message: addOn.rollout === 'Completed' ? 'ended' : 'unknown: the rollout is halted' },
    progress: progress(clusters, all.selected),
    history: revisions(name, addOn.target, all.done),
    timeline: groupsOf(activity(fleet).filter((item) => item.addOn === name)),
    failures: failures(fleet, name),
    actions: [action(addOn.isPaused ? 'resume' : 'pause', name)],
  };
}

function revisions(name: string, target: string, clusters: number): readonly RevisionItem[] {
  return [3, 2, 1].map((revision) => ({
    revision,
    version: revision === 3 ? target : `v0.${7 + revision}.0`,
    digest: `${revision}`.repeat(12),
    targetedAt: AT,
    configs: [`addontemplates/${name}-${revision}`],
    entries: revision === 3 ? ['default/all-clusters'] : [],
    clusters: revision === 3 ? clusters : revision,
    names: revision === 3 ? [] : ['cluster-00007'],
    outcomes: [
      {
        entry: 'default/all-clusters',
        at: later((revision - 4) * 86_400),
        outcome: revision === 2 ? 'RolledBack' : revision === 1 ? 'Completed' : '',
        cause: revision === 2 ? 'DefaultVersion' : 'Declaration',
        by: revision === 2 ? '' : 'kubectl-client-side-apply',
        selected: clusters + 3,
        done: revision === 2 ? 4 : clusters,
        failed: revision === 2 ? 6 : 0,
        ...(revision === 3 ? {} : { endedAt: later((revision - 4) * 86_400 + 3_600), record: `record-${revision}` }),
      },
    ],
    isPinned: false,
    ...(revision === 3 ? {} : { rollBack: action('roll-back', name, revision) }),
  }));
}

/**
 * Returns the replay of one of the records `record-1` to `record-3`. In each record, a cluster is admitted every 40 seconds and moves for
 * 30 seconds.
 */
function replayPage(fleet: FleetTable, addOn: string, record: string): ReplayPage | undefined {
  const revision = Number(/^record-([123])$/.exec(record)?.[1] ?? 0);
  const clusters = cellsOf(fleet, addOn);
  if (revision === 0 || clusters.length === 0) return undefined;
  const start = (revision - 3) * 86_400;
  const hasFailures = revision === 2;
  return {
    addOn,
    entry: 'default/all-clusters',
    revision,
    version: `v0.${7 + revision}.0`,
    startedAt: later(start),
    endedAt: later(start + 40 * clusters.length),
    outcome: hasFailures ? 'RolledBack' : 'Completed',
    groups: [
      {
        name: '',
        clusters: clusters.map(({ cluster }, index): RecordedCluster => {
          const isWaiting = hasFailures && index >= 10;
          const phase = isWaiting ? 'waiting' : hasFailures && index >= 4 ? 'failed' : 'done';
          const times = { admittedAt: later(start + 40 * index), endedAt: later(start + 40 * index + 30) };
          return { name: cluster, phase, reason: '', ...(isWaiting ? {} : times) };
        }),
      },
    ],
    omitted: 0,
  };
}

function addOnPage(fleet: FleetTable, name: string): AddOnPage | undefined {
  const addOn = fleet.addOns.find((one) => one.name === name);
  if (addOn === undefined) return undefined;
  const cells = cellsOf(fleet, name);
  const other = fleet.addOns.find((one) => one.name !== name);
  const { counts: all } = lane(fleet, name);
  const config: ObjectLink = {
    group: 'addon.open-cluster-management.io',
    version: 'v1alpha1',
    resource: 'addondeploymentconfigs',
    namespace: 'default',
    name: 'fleet',
  };
  return {
    name,
    displayName: addOn.displayName,
    description: `A synthetic add-on named ${name}.`,
    object: declaration(name),
    strategy: 'Placements',
    rollout: addOn.rollout,
    isPaused: addOn.isPaused,
    versions: [{ version: addOn.target, template: template(`${name}-3`), isDefault: true, clusters: all.done }],
    defaultVersion: addOn.target,
    entries: [
      {
        ...entryOf(addOn, all),
      },
    ],
    revisions: revisions(name, addOn.target, all.done),
    dependencies: {
      nodes: [name, ...(other ? [other.name] : [])].map((node) => ({ name: node, isDeclared: true })),
      edges: other ? [{ from: name, to: other.name, isRequired: true }] : [],
    },
    configuration: [{ layer: 'default', of: '', configs: [{ resource: 'addondeploymentconfigs', object: config, isInForce: true }] }],
    values: [
      { path: 'customizedVariables.LOG_LEVEL', value: 'info', layer: 'default', of: '', scope: '', object: config },
      {
        path: 'customizedVariables.SCRAPE_INTERVAL',
        value: '30s',
        layer: 'entry',
        of: 'default/all-clusters',
        scope: 'default/all-clusters',
        object: { ...config, name: 'edge' },
      },
      { path: 'nodePlacement.nodeSelector.zone', value: 'core', layer: 'default', of: '', scope: '', object: config },
    ],
    rights: [{ template: `${name}-3`, scope: 'cluster', role: `${name}-agent`, signer: 'kubernetes.io/kube-apiserver-client' }],
    conditions: [condition('TargetsResolved', 'True', 'AllResolved')],
    cells: counts<CellState>(
      CELL_STATES,
      cells.map(({ state }) => state),
    ),
    actions: [action(addOn.isPaused ? 'resume' : 'pause', name)],
  };
}

function clusterPage(fleet: FleetTable, name: string): ClusterPage | undefined {
  const found = fleet.rows.get(name);
  if (found === undefined) return undefined;
  return {
    name,
    object: { group: 'cluster.open-cluster-management.io', version: 'v1', resource: 'managedclusters', name },
    ...found.row,
    claims: [{ name: 'platform.open-cluster-management.io', value: found.row.labels['provider'] ?? '' }],
    taints: [],
    conditions: [condition('ManagedClusterConditionAvailable', 'True', 'ManagedClusterAvailable')],
    lease: { renewedAt: AT },
    addOns: [...found.cells].map(([addOn, cell]) => ({
      ...cell,
      name: addOn,
      dependsOn: [],
      differsFromFleet: cell.version !== cell.target,
    })),
    works: [...found.cells.keys()].map((addOn) => work(name, addOn)),
    events: groupsOf(activity(fleet).filter((item) => item.cluster === name)),
  };
}

function work(cluster: string, addOn: string, yaml = ''): NonNullable<CellPage['works']>[number] {
  const applied = condition('Applied', 'True', 'AppliedManifestWorkComplete');
  return {
    name: `addon-${addOn}-deploy-0`,
    addOn,
    object: {
      group: 'work.open-cluster-management.io',
      version: 'v1',
      resource: 'manifestworks',
      namespace: cluster,
      name: `addon-${addOn}-deploy-0`,
    },
    conditions: [applied],
    manifests: [
      {
        group: 'apps',
        kind: 'Deployment',
        namespace: 'addons',
        name: addOn,
        conditions: [applied],
        feedback: [{ name: 'ReadyReplicas', value: '1' }],
        yaml,
      },
    ],
  };
}

function cellPage(fleet: FleetTable, cluster: string, addOn: string): CellPage | undefined {
  const cell = fleet.rows.get(cluster)?.cells.get(addOn);
  if (cell === undefined) return undefined;
  const yaml = `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: ${addOn}\n`;
  return {
    cluster,
    addOn,
    object: {
      group: 'addon.open-cluster-management.io',
      version: 'v1alpha1',
      resource: 'managedclusteraddons',
      namespace: cluster,
      name: addOn,
    },
    state: cell.state,
    version: cell.version,
    target: cell.target,
    revision: 3,
    why: {
      verdict: cell.state,
      headline: cell.state,
      links: [
        { type: 'ok', text: `${addOn} is declared`, object: declaration(addOn), isCause: false },
        { type: 'ok', text: 'the Placement default/all-clusters selects it', isCause: false },
        cell.reason === ''
          ? { type: 'ok', text: `it is ${cell.state}`, isCause: false }
          : { type: 'stop', text: `Progressing is False (Failed): ${cell.reason}`, hint: `outrigger rollback ${addOn}`, isCause: true },
      ],
    },
    conditions: [condition('Available', cell.state === 'available' ? 'True' : 'False', 'ProbeAvailable')],
    values: [],
    configuration: [],
    registrations: [
      {
        type: 'KubeClient',
        signer: 'kubernetes.io/kube-apiserver-client',
        user: `system:open-cluster-management:cluster:${cluster}:addon:${addOn}`,
        groups: ['system:authenticated'],
        issuedAt: '2026-11-01T00:00:00Z',
        expiresAt: '2026-12-01T00:00:00Z',
        problem: '',
      },
    ],
    works: [work(cluster, addOn, yaml)],
    diffs: { previous: { revision: 2, version: 'v0.8.0', changes: [imageChange(addOn, 'v0.8.0', cell.version)] } },
  };
}

function imageChange(addOn: string, before: string, after: string): ManifestDiff {
  return {
    kind: 'Deployment',
    namespace: 'addons',
    name: addOn,
    change: 'changed',
    lines: [
      { mark: '…', text: '' },
      { mark: ' ', text: '      containers:' },
      { mark: ' ', text: `      - name: ${addOn}` },
      { mark: '-', text: `        image: example.com/${addOn}:${before}` },
      { mark: '+', text: `        image: example.com/${addOn}:${after}` },
      { mark: ' ', text: '        resources: {}' },
      { mark: '…', text: '' },
    ],
  };
}

function planPage(fleet: FleetTable, addOn: string, revision: number): PlanPage | undefined {
  const cells = cellsOf(fleet, addOn);
  const [first] = cells;
  if (first === undefined) return undefined;
  return {
    addOn,
    revision,
    version: `v0.${7 + revision}.0`,
    moving: cells.length - 2,
    staying: 2,
    overridden: 1,
    example: { cluster: first.cluster, changes: [imageChange(addOn, first.version, `v0.${7 + revision}.0`)] },
    forecast: forecast(cells.map(({ cluster }) => cluster)),
  };
}

function forecast(clusters: readonly string[]): PlanForecast {
  const end = { p50: '2026-11-16T03:10:00Z', p90: '2026-11-16T03:25:00Z', runs: 200 };
  const names = clusters.slice(0, 5);
  const wave = { group: 'rest', startAt: AT, endAt: '2026-11-16T03:01:00Z', clusters: clusters.length, names };
  const gate = { kind: 'Window', name: 'calm/nights', at: AT, opensAt: '2026-11-16T03:00:30Z', clusters: clusters.length };
  const right = { where: 'hub', subject: 'Group agents', verb: 'get', resource: 'secrets', namespace: '<cluster>', clusters: 1 } as const;
  return {
    from: AT,
    entries: [{ name: 'default/all', outcome: 'Completed', end, waves: [wave], hiddenWaves: 0, gates: [gate] }],
    end,
    durations: { source: 'recorded', n: 120, p50: 40, p90: 95 },
    rights: { gained: [right], lost: [], unknown: [] },
    inTheWay: [],
    notKnown: ['capacity on the clusters'],
  };
}

function progress(clusters: readonly LaneCluster[], selected: number): Progress {
  const ends = clusters.flatMap(({ endedAt, phase }) => (endedAt === undefined ? [] : [{ at: endedAt, isDone: phase === 'done' }]));
  let done = 0;
  let failed = 0;
  const points = ends
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ at, isDone }) => (isDone ? { at, done: ++done, failed } : { at, done, failed: ++failed }));
  return { startedAt: AT, selected, points };
}

function groupsOf(items: readonly ActivityItem[]): readonly ActivityGroup[] {
  return items.map((item) => ({ item, clusters: item.cluster === undefined ? [] : [item.cluster] }));
}

function activity(fleet: FleetTable): readonly ActivityItem[] {
  const [cluster] = fleet.rows.keys();
  return fleet.addOns.flatMap(({ name, rollout }, index): readonly ActivityItem[] => [
    {
      id: `${name}-started`,
      at: `2026-11-16T02:${String(index % 60).padStart(2, '0')}:00Z`,
      type: rollout === 'Halted' ? 'Warning' : 'Normal',
      reason: rollout === 'Halted' ? 'RolloutHalted' : 'RolloutStarted',
      message: `the rollout of ${name} to revision 3`,
      addOn: name,
      ...(cluster === undefined ? {} : { cluster }),
      by: 'outrigger-hub',
      count: 1,
      object: declaration(name),
    },
  ]);
}

function objectPage({ group, version, resource, namespace, name }: ObjectLink): ObjectPage {
  const place = namespace === undefined ? '' : `  namespace: ${namespace}\n`;
  return {
    object: { group, version, resource, name, ...(namespace === undefined ? {} : { namespace }) },
    yaml: `apiVersion: ${group === '' ? version : `${group}/${version}`}\nkind: ${resource}\nmetadata:\n  name: ${name}\n${place}`,
    references: [],
  };
}

function action(name: 'pause' | 'resume' | 'roll-back', addOn: string, revision = 1): OfferedAction {
  if (name === 'roll-back')
    return {
      action: { action: name, addOn, revision },
      label: `Roll back to ${revision}`,
      command: `outrigger rollback ${addOn} --to-revision ${revision}`,
      question: `Every cluster goes to revision ${revision} and stays there.`,
    };
  return {
    action: { action: name, addOn },
    label: name === 'pause' ? 'Pause' : 'Resume',
    command: `outrigger rollout ${name} ${addOn}`,
  };
}

function condition(type: string, status: ConditionItem['status'], reason: string): ConditionItem {
  return { type, status, reason, message: `${type} is ${status}.`, since: AT };
}

function declaration(name: string): ObjectLink {
  return { group: 'addon.open-cluster-management.io', version: 'v1alpha1', resource: 'clustermanagementaddons', name };
}

function template(name: string): ObjectLink {
  return { group: 'addon.open-cluster-management.io', version: 'v1alpha1', resource: 'addontemplates', name };
}

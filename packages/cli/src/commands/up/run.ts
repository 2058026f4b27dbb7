import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { HUB_NAMESPACE, managedClusterAddOns } from '@outrigger/api';
import { addressRangeProblem, privateFolder, writePrivate } from '@outrigger/control-plane';
import { type Clock, type Runtime, shell, nameOf } from '@outrigger/core';
import { parseKubeconfig, resolveKubeconfig } from '@outrigger/kube';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { type RunningConsole, startConsole } from '../../console/start.js';
import { CommandError, EXIT, usageError } from '../../failure.js';
import { listOf } from '../../fleet/objects.js';
import { askingSource } from '../../fleet/source.js';
import { isOwnName, markFolder, removeOwnFiles, requireOwnFolder, usable } from '../../local/data-folder.js';
import { isTaken, onKeptPort } from '../../local/kept-port.js';
import { type LocalFleet, type LocalFleetOptions, type OutsideServices, startLocalFleet } from '../../local/fleet.js';
import { type ProcessIdentity, leaveFolder, runningProcess, takeFolder } from '../../local/process-identity.js';
import { progressOf } from '../../local/progress.js';
import { SAMPLE_ADD_ONS, installSamples } from '../../local/samples.js';
import { shrinkHeapWhenQuiet } from '../../server/quiet-heap.js';
import { untilAborted } from '../../server/until-aborted.js';
import type { CommandContext } from '../context.js';
import { follow } from '../watch.js';
import { metricsProviders } from '../hub/metrics-providers.js';
import { notificationTargets } from '../hub/notification-targets.js';
import type { UpOptions } from './command.js';
import { detach } from './detach.js';
import { type StartScreen, finalScreen, isFollowed, standing, startScreen } from './screen.js';
import { type WaitOptions, waitForAddOns, waitForClusters, waitForReturn } from './wait.js';

/** Starts the hub and the clusters, waits until the add-ons are available, and runs until the process gets a signal to stop. */
export async function up(context: CommandContext, options: UpOptions): Promise<void> {
  for (const problem of options.allowWebhookAddress.flatMap((range) => addressRangeProblem(range) ?? []))
    throw usageError(`--allow-webhook-address: ${problem}`);
  const outside = await outsideOf(options);
  const dataDir = resolve(options.dataDir);
  requireFree(await usable(dataDir, () => runningProcess(dataDir)), options.dataDir, dataDir);
  await usable(dataDir, () => requireOwnFolder(dataDir));
  await usable(dataDir, () => privateFolder(dataDir, { mayBeLink: true, isOurs: (names) => names.every((name) => isOwnName(name)) }));
  if (options.reset) await reset(context, options, dataDir);
  if (options.detach) return detach(context, options, dataDir);
  requireFree(await usable(dataDir, () => takeFolder(dataDir)), options.dataDir, dataDir);
  await usable(dataDir, () => markFolder(dataDir));
  // This function closes the runtime, because its timers would keep the process alive.
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  shrinkHeapWhenQuiet(runtime);
  try {
    await runUntilStopped(context, options, { dataDir, outside: outside(runtime.clock) }, runtime);
  } finally {
    runtime.scope.close();
    await leaveFolder(dataDir);
  }
}

/** Removes what earlier starts kept. The process claims the folder, so that no other one starts in it meanwhile. */
async function reset({ terminal }: CommandContext, options: UpOptions, dataDir: string): Promise<void> {
  requireFree(await usable(dataDir, () => takeFolder(dataDir)), options.dataDir, dataDir);
  try {
    const removed = await usable(dataDir, () => removeOwnFiles(dataDir));
    terminal.note(
      removed.length > 0
        ? `removed from ${dataDir}: ${removed.join(', ')}\n`
        : `nothing to remove: no earlier start kept data in ${dataDir}\n`,
    );
  } finally {
    await leaveFolder(dataDir);
  }
}

function requireFree(running: ProcessIdentity | undefined, folder: string, dataDir: string): void {
  if (!running) return;
  throw new CommandError(
    `${dataDir} is in use by process ${running.pid}: stop it with \`${shell`outrigger down --data-dir ${folder}`}\`, or choose another --data-dir`,
    EXIT.failed,
  );
}

async function runUntilStopped(
  context: CommandContext,
  options: UpOptions,
  { dataDir, outside }: { readonly dataDir: string; readonly outside: OutsideServices },
  runtime: Runtime,
): Promise<void> {
  const { terminal, signal } = context;
  const kubeconfig = join(dataDir, 'kubeconfig');
  // The kubeconfig is written after the samples are installed. If it is missing, the first start did not complete and is repeated.
  const isFirst = !(await exists(kubeconfig));
  const screen = startScreen(terminal, { clusters: options.clusters, isFirst, dataDir: options.dataDir });
  const stopping = (): void => {
    screen.end();
    terminal.note('stopping ...\n');
  };
  signal.addEventListener('abort', stopping, { once: true });
  const fleet = await startFleet({
    ...options,
    runtime,
    dataDir,
    signal,
    outside,
    progress: (what) => screen.step(what),
  }).catch((error: unknown) => {
    screen.end();
    if (error !== signal.reason) throw error;
    return undefined;
  });
  if (!fleet) throw interrupted();
  let running: RunningConsole | undefined;
  try {
    if (signal.aborted) throw interrupted();
    running = await openConsole(context, fleet, { ...options, dataDir }, runtime);
    screen.console(running.address());
    const missing = await prepare({ fleet, screen, runtime, signal }, { ...options, isFirst, kubeconfig });
    if (signal.aborted) throw interrupted();
    const isLive = isFollowed(terminal, fleet);
    // If the screen follows the fleet, the fleet's tables are shown below the final screen, so the progress table is removed.
    if (isLive) screen.progress([], []);
    else if (!isFirst) await showStanding(fleet, screen);
    if (missing !== undefined && !terminal.isLive) throw new CommandError(missing, EXIT.no);
    screen.end();
    const consoleAddress = running.address();
    const state = isLive ? '' : await standing(terminal, { fleet, source: askingSource(fleet.hub), nowMs: runtime.clock.now() });
    terminal.out(finalScreen(terminal, { fleet, consoleAddress, dataDir: options.dataDir, standing: state }));
    // On a terminal, report add-ons that are not available and keep running, so that the user can watch their progress.
    if (missing !== undefined) terminal.note(`  ${missing}\n`);
    process.send?.({ line: `open the console once with ${consoleAddress}` });
    process.send?.({ line: `metrics are at ${fleet.metricsUrl}` });
    process.send?.({ ready: true });
    if (isLive)
      await follow(context, fleet.hub, {
        look: (source) => standing(terminal, { fleet, source, nowMs: runtime.clock.now() }),
        show: (text) => {
          if (!signal.aborted) screen.standing(`\n${text}`);
        },
      });
    await untilAborted(signal);
  } finally {
    screen.end();
    await running?.stop();
    await fleet.stop();
  }
}

/**
 * Installs the samples on the first start, writes the kubeconfig, and waits until the add-ons are ready. If the wait takes too long,
 * returns what is missing.
 */
async function prepare(
  waiting: Omit<WaitOptions, 'addOns'>,
  { isFirst, samples, kubeconfig }: Pick<UpOptions, 'samples'> & { readonly isFirst: boolean; readonly kubeconfig: string },
): Promise<string | undefined> {
  const { fleet } = waiting;
  const hasSamples = isFirst && samples;
  if (hasSamples) await installSamples(fleet.hub);
  await writePrivate(kubeconfig, fleet.kubeconfig);
  if (!isFirst && !fleet.isDurable) await waitForReturn(waiting);
  const late = isFirst && !hasSamples ? await waitForClusters(waiting) : undefined;
  return late ?? waitForAddOns({ ...waiting, addOns: hasSamples ? SAMPLE_ADD_ONS : [] });
}

/**
 * Returns the error for a Ctrl-C before the fleet is ready, so that scripts do not count the start as a success. Later, Ctrl-C is the
 * normal way to stop.
 */
function interrupted(): CommandError {
  return new CommandError('stopped before all was ready; the next start goes on from there', EXIT.interrupted);
}

/** Checks the options for metrics providers and notification targets, and returns a function that connects what they define. */
async function outsideOf(options: UpOptions): Promise<(clock: Clock) => OutsideServices> {
  const { metricsProvider, notifyUrl, notifyKey } = options;
  const connectProviders = await metricsProviders({ metricsProvider, metricsToken: {}, metricsCa: {} });
  const connectTargets = await notificationTargets({ notifyUrl, notifyKey, notifyCa: {} });
  return (clock) => ({
    providerNames: Object.keys(metricsProvider),
    connect: (client) => ({
      metricsProviders: connectProviders({ client, namespace: HUB_NAMESPACE }),
      notificationTargets: connectTargets({ client, namespace: HUB_NAMESPACE }, clock),
    }),
  });
}

/** Starts on the port of the previous start, so that earlier kubeconfigs stay valid. */
function startFleet(options: LocalFleetOptions & { readonly dataDir: string }): Promise<LocalFleet> {
  return onKeptPort({
    file: join(options.dataDir, 'hub.port'),
    wanted: options.port,
    start: (port) => startLocalFleet({ ...options, port }),
    portOf: ({ url }) => Number(new URL(url).port),
  }).catch((error: unknown) => {
    throw isTaken(error) ? new CommandError(`port ${options.port} is taken: choose another --port`, EXIT.failed) : error;
  });
}

/** Replaces the start-up lines with the add-ons of each cluster after a restart. */
async function showStanding(fleet: LocalFleet, screen: StartScreen): Promise<void> {
  const installed = await listOf(fleet.hub, managedClusterAddOns);
  const names = [...new Set(installed.map(nameOf))].sort();
  screen.progress(names, progressOf(fleet.clusterNames, names, installed));
}

/**
 * Starts the console as the hub's administrator, which is the user in the kubeconfig that `up` writes. It listens on the port of the previous
 * start, so that a page that is still open finds it again. Sessions are not kept: while the console does not run, another user of the machine
 * could listen on the port and receive the cookie of that page.
 */
function openConsole(context: CommandContext, fleet: LocalFleet, options: UpOptions, runtime: Runtime): Promise<RunningConsole> {
  const { connection } = resolveKubeconfig(parseKubeconfig(fleet.kubeconfig, 'kubeconfig'));
  return onKeptPort({
    file: join(options.dataDir, 'console.port'),
    wanted: options.consolePort,
    start: (port) => startConsole({ runtime, connection, env: context.env, hubName: 'hub', port }),
    portOf: ({ port }) => port,
  });
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

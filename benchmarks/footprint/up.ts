import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCommand } from '../servers/processes.js';
import { type Quiet, untilSettled } from './hub.js';
import { reportIdle } from './manager.js';
import { report } from './report.js';

const CLUSTERS = Number(process.env['OUTRIGGER_BENCH_CLUSTERS'] ?? 1_000);

/**
 * A local fleet is never fully idle because its clusters renew their leases. The window is long because the fleet pauses for seconds between
 * the waves of its first rollouts.
 */
const QUIET: Quiet = { cpuMs: 1_000, windowMs: 20_000 };

/** Measures `outrigger up` with many simulated clusters and the two sample add-ons on each. */
export async function measureUp(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'outrigger-bench-up-'));
  const up = startCommand(['up', '--data-dir', dir, '--clusters', String(CLUSTERS)]);
  await up.printed('Ctrl-C stops it');
  report(`up --clusters ${CLUSTERS}: CPU until ready`, up.cpuMs() / 1_000, 's', 60);
  report(`up --clusters ${CLUSTERS}: most resident memory`, up.peakMb(), 'MB', 1_024);
  await untilSettled(up, QUIET);
  report(`up --clusters ${CLUSTERS}: resident memory`, up.residentMb(), 'MB');
  await reportIdle(`up --clusters ${CLUSTERS}`, up, 2);
  await up.stop();
  await rm(dir, { recursive: true });
}

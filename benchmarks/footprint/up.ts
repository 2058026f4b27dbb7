import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCommand } from '../servers/processes.js';
import { untilSettled } from './hub.js';
import { reportIdle } from './manager.js';
import { report } from './report.js';

const CLUSTERS = Number(process.env['OUTRIGGER_BENCH_CLUSTERS'] ?? 1_000);

/** A local fleet is never completely idle, because its agents renew their leases. */
const QUIET_MS = 150;

/** Measures `outrigger up` with many simulated clusters and the two sample add-ons on each. */
export async function measureUp(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'outrigger-bench-up-'));
  const up = startCommand(['up', '--data-dir', dir, '--clusters', String(CLUSTERS)]);
  await up.printed('Ctrl-C stops it');
  report(`up --clusters ${CLUSTERS}: CPU until ready`, up.cpuMs() / 1_000, 's', 60);
  report(`up --clusters ${CLUSTERS}: most resident memory`, up.peakMb(), 'MB', 1_024);
  await untilSettled(up, QUIET_MS);
  report(`up --clusters ${CLUSTERS}: resident memory`, up.residentMb(), 'MB');
  await reportIdle(`up --clusters ${CLUSTERS}`, up, 2);
  await up.stop();
  await rm(dir, { recursive: true });
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MetricsProvider, prometheusProvider } from '@outrigger/hub';
import { sendBounded } from '@outrigger/kube/node';
import { findPrometheus } from '../../tools/prometheus/prometheus.js';
import { ServerProcess, freePorts } from '../harness/process.js';
import type { Meters } from '../integration/fleet/world.js';
import { type WorldTime, eventually } from '../world/eventually.js';

type Stops = (() => Promise<unknown>)[];

/** Starts a Prometheus that scrapes one address on this machine every second. Returns its URL. */
export async function startPrometheus(binary: string, target: number, config: object, stops: Stops): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-prometheus-'));
  stops.push(() => rm(folder, { recursive: true, force: true }));
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  await writeFile(
    join(folder, 'prometheus.yml'),
    JSON.stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      scrape_configs: [{ job_name: 'outrigger', static_configs: [{ targets: [`127.0.0.1:${target}`] }] }],
      ...config,
    }),
  );
  const server = new ServerProcess({
    name: 'prometheus',
    binary,
    args: [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    logFile: join(folder, 'prometheus.log'),
    isReady: async () => (await fetch(`${url}/-/ready`)).ok,
  });
  await server.start();
  stops.push(() => server.kill());
  return url;
}

/**
 * Returns the metrics providers that the tests use: `story` is a real Prometheus that scrapes the values; `gone` is an address at which no
 * server listens.
 */
export async function prometheusMeters(
  time: WorldTime,
  stops: Stops,
): Promise<{ readonly meters: Meters; readonly metricsProviders: ReadonlyMap<string, MetricsProvider> }> {
  let values: Readonly<Record<string, number>> = {};
  const exporter = createServer((_, response) => {
    const lines = Object.entries(values).map(([cluster, value]) => `story_errors{cluster="${cluster}"} ${value}\n`);
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(lines.join(''));
  });
  await new Promise<void>((resolve) => exporter.listen(0, '127.0.0.1', resolve));
  stops.push(async () => {
    exporter.closeAllConnections();
    exporter.close();
  });
  const { prometheus } = await findPrometheus();
  const url = await startPrometheus(prometheus, (exporter.address() as AddressInfo).port, {}, stops);
  const [closed = 0] = await freePorts(1);
  const providerAt = (address: string): MetricsProvider =>
    prometheusProvider({
      url: address,
      send: (request, signal) => sendBounded({ method: 'POST', ...request, timeoutMs: 5_000, maxBytes: 100_000 }, signal),
    });
  const story = providerAt(url);
  const set = async (next: Readonly<Record<string, number>>): Promise<void> => {
    values = next;
    await eventually(time, `Prometheus shows ${JSON.stringify(next)}`, async () => {
      const answer = await story.query('story_errors', undefined, new AbortController().signal);
      if (!('series' in answer)) return undefined;
      const shown = Object.fromEntries(answer.series.map(({ labels, value }) => [labels['cluster'] ?? '', value]));
      return Object.entries(next).every(([cluster, value]) => shown[cluster] === value) ? true : undefined;
    });
  };
  return {
    meters: { set },
    metricsProviders: new Map([
      ['story', story],
      ['gone', providerAt(`http://127.0.0.1:${closed}`)],
    ]),
  };
}

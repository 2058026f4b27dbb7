import type { LogEntry, Stored } from '@outrigger/simulator';
import type { Etcd, EtcdChange } from './etcd.js';

/** Matches the keys of custom resources, which are stored as JSON: `/registry/<group>/<plural>/<namespace and name>`. */
const CUSTOM = /^\/registry\/(?:[a-z.-]*open-cluster-management\.io|outrigger\.dev)\/([a-z]+)\/(.+)$/;

/**
 * Records every change of a custom resource, in the order in which etcd accepted it. A watch of the API server would miss changes if the
 * server restarts.
 */
export class Observer {
  readonly log: LogEntry[] = [];
  readonly #etcd: Etcd;
  readonly #now: () => number;
  #seen = 0;
  #stop: () => void = () => undefined;

  private constructor(etcd: Etcd, now: () => number) {
    this.#etcd = etcd;
    this.#now = now;
  }

  static async start(etcd: Etcd, now: () => number): Promise<Observer> {
    const observer = new Observer(etcd, now);
    observer.#stop = await etcd.watch(await etcd.revision(), (change) => observer.#add(change));
    return observer;
  }

  /** Whether the log contains every change until now. */
  async isComplete(): Promise<boolean> {
    return (await this.#etcd.revision()) <= this.#seen;
  }

  stop(): void {
    this.#stop();
  }

  #add({ key, revision, before, after }: EtcdChange): void {
    this.#seen = revision;
    const [, kind, id] = CUSTOM.exec(key) ?? [];
    if (kind === undefined || id === undefined) return;
    const read = (value: Buffer | undefined): Stored | undefined => value && (JSON.parse(value.toString()) as Stored);
    const entry = { index: this.log.length, at: this.#now(), actor: 'hub', kind, id, before: read(before), after: read(after) };
    this.log.push({ ...entry, pass: undefined });
  }
}

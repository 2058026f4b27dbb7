import { Agent, type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';

/** One change in etcd. `before` and `after` are the stored bytes. */
export interface EtcdChange {
  readonly key: string;
  readonly revision: number;
  readonly before: Buffer | undefined;
  readonly after: Buffer | undefined;
}

interface Pair {
  readonly key: string;
  readonly value?: string;
  readonly mod_revision?: string;
}
interface Answer {
  readonly header: { readonly revision: string };
  readonly kvs?: readonly Pair[];
}
interface WatchMessage {
  readonly result?: {
    readonly canceled?: boolean;
    readonly events?: readonly { readonly type?: 'DELETE'; readonly kv: Pair; readonly prev_kv?: Pair }[];
  };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const bytes = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64');
/** The range of keys under which kube-apiserver stores objects. The end of the range is the first key after those with the prefix. */
const OBJECTS = { key: base64('/registry/'), range_end: base64('/registry0') };

/** A client for the etcd of a real server, through its JSON gateway. No API server checks the changes that this client makes. */
export class Etcd {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string) {
    this.#url = url;
  }

  /** Returns the keys of all objects. */
  async keys(): Promise<readonly string[]> {
    const { kvs = [] } = await this.#ask('/v3/kv/range', { ...OBJECTS, keys_only: true });
    return kvs.map(({ key }) => bytes(key).toString());
  }

  /** Returns etcd's current revision, which is the number of the last change. */
  async revision(): Promise<number> {
    return Number((await this.#ask('/v3/kv/range', { ...OBJECTS, count_only: true })).header.revision);
  }

  async delete(key: string): Promise<void> {
    await this.#ask('/v3/kv/deleterange', { key: base64(key) });
  }

  /** Calls `onChange` for every change after a revision, in order. Returns a function that ends the watch. */
  async watch(after: number, onChange: (change: EtcdChange) => void): Promise<() => void> {
    const answer = await this.#send('/v3/watch', { create_request: { ...OBJECTS, start_revision: String(after + 1), prev_kv: true } });
    createInterface({ input: answer }).on('line', (line) => {
      const { result } = JSON.parse(line) as WatchMessage;
      if (result?.canceled === true) throw new Error(`etcd ended the watch: ${line}`);
      for (const { type, kv, prev_kv: previous } of result?.events ?? []) {
        onChange({
          key: bytes(kv.key).toString(),
          revision: Number(kv.mod_revision ?? 0),
          before: previous && bytes(previous.value),
          after: type === 'DELETE' ? undefined : bytes(kv.value),
        });
      }
    });
    answer.on('error', () => undefined);
    return () => void answer.destroy();
  }

  close(): void {
    this.#agent.destroy();
  }

  async #ask(path: string, body: object): Promise<Answer> {
    const answer = await this.#send(path, body);
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    if (answer.statusCode !== 200) throw new Error(`etcd answered ${path} with ${answer.statusCode}: ${text}`);
    return JSON.parse(text) as Answer;
  }

  #send(path: string, body: object): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#url}${path}`, { method: 'POST', agent: this.#agent }, resolve);
      sent.on('error', reject);
      sent.end(JSON.stringify(body));
    });
  }
}

import { afterAll, beforeAll } from 'vitest';
import { type Credentials, Http, type TestServer } from '../harness/index.js';
import { Api } from './api.js';

/** The server under test, as the suites use it. It can be used only inside tests and hooks. */
export interface Subject {
  readonly server: TestServer;
  readonly admin: Api;
  /** Returns a client for a user that has only the permissions that a test grants. */
  as(user: string, groups?: readonly string[]): Promise<Api>;
  withToken(token: string): Api;
  anonymous(): Api;
}

export type Suite = (subject: Subject) => void;

/** Registers hooks that connect to a server before the tests of the surrounding `describe`. */
export function connectBeforeAll(start: () => Promise<{ readonly server: TestServer; stop(): Promise<void> }>): Subject {
  let running: { readonly server: TestServer; stop(): Promise<void> } | undefined;
  let admin: Api | undefined;
  const opened: Http[] = [];
  const server = (): TestServer => {
    if (!running) throw new Error('the server runs in tests and hooks only');
    return running.server;
  };
  const api = (credentials: Credentials): Api => {
    const http = new Http({ url: server().url, caPem: server().caPem, ...credentials });
    opened.push(http);
    return new Api(http);
  };
  beforeAll(async () => {
    running = await start();
    admin = api({ certPem: running.server.adminCertPem, keyPem: running.server.adminKeyPem });
  });
  afterAll(async () => {
    for (const http of opened) http.close();
    await running?.stop();
  });
  return {
    get server() {
      return server();
    },
    get admin() {
      if (!admin) throw new Error('the server runs in tests and hooks only');
      return admin;
    },
    as: async (user, groups = []) => api(await server().credentialsFor(user, groups)),
    withToken: (token) => api({ token }),
    anonymous: () => api({}),
  };
}

let count = 0;
/** Returns a name that is unique even if suites run twice on one server. */
export function unique(prefix: string): string {
  count += 1;
  return `${prefix}-${process.pid.toString(36)}${Date.now().toString(36)}-${count}`;
}

/** Creates a namespace for the tests of the surrounding `describe`; `path` returns the path of a resource in it. */
export function ownNamespace(subject: Subject, prefix: string): { readonly name: string; path(resource: string): string } {
  const name = unique(prefix);
  beforeAll(async () => {
    await subject.admin.create('/api/v1/namespaces', { metadata: { name } });
  });
  return { name, path: (resource) => `/api/v1/namespaces/${name}/${resource}` };
}

export function configMap(name: string, data: Readonly<Record<string, string>> = {}, metadata: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

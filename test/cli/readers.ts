import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterRoleBindings, roleBindings } from '@outrigger/api';
import { type Runtime, isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { findKubectl } from '../harness/index.js';
import { Kubectl } from '../kubectl/kubectl.js';
import { impersonating } from './people.js';
import { type Ran, runCommand } from './world.js';

const RBAC = 'rbac.authorization.k8s.io';

/** A role that a reader has, in all namespaces or in one. */
export interface ReaderRole {
  readonly role: string;
  readonly namespace?: string;
}

/** The roles of a reader; undefined for an administrator of the hub, who has all permissions. */
export type Reader = readonly ReaderRole[] | undefined;

const FLEET_ADMIN: Reader = [{ role: 'outrigger:fleet-admin' }];

/** Returns the reader that a line of a guide names, as in "Reader: the fleet admin, with the role `outrigger:fleet-admin`". */
export function readerIn(line: string): Reader {
  if (line.includes('an administrator of the hub')) return undefined;
  const [sentence = ''] = line.split(/\. /);
  return [...sentence.matchAll(/`(outrigger:[\w-]+)`(?: in the namespace `([\w-]+)`)?/g)].map(([, role = '', namespace]) => ({
    role,
    ...(namespace === undefined ? {} : { namespace }),
  }));
}

/** Returns the reader of one command if the comment after the command names a reader other than that of the guide. */
export function typistIn(comment: string, reader: Reader): Reader {
  if (comment.includes('an administrator of the hub types this')) return undefined;
  return comment.includes('the fleet admin types this') ? FLEET_ADMIN : reader;
}

export interface ReadersOptions {
  readonly runtime: Runtime;
  readonly hub: Client;
  readonly adminKubeconfig: string;
}

/** The users of a hub who have exactly the roles that their guide names. */
export class Readers {
  readonly #options: ReadersOptions;
  readonly #folder: string;
  readonly #kubeconfigs = new Map<string, Promise<string>>();
  readonly #kubectls = new Map<string, Kubectl>();

  private constructor(options: ReadersOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
  }

  static async create(options: ReadersOptions): Promise<Readers> {
    return new Readers(options, await mkdtemp(join(tmpdir(), 'outrigger-readers-')));
  }

  async close(): Promise<void> {
    for (const kubectl of this.#kubectls.values()) await kubectl.close();
    await rm(this.#folder, { recursive: true });
  }

  /** Runs an `outrigger` or `kubectl` command as the reader. */
  async type(reader: Reader, program: string, args: readonly string[]): Promise<Ran> {
    const kubeconfig = await this.#kubeconfigOf(reader);
    if (program === 'outrigger') return runCommand(args, this.#options.runtime, { KUBECONFIG: kubeconfig });
    if (program !== 'kubectl') throw new Error(`guides do not use ${program}`);
    const kubectl = this.#kubectls.get(kubeconfig) ?? (await Kubectl.create(await findKubectl(), kubeconfig));
    this.#kubectls.set(kubeconfig, kubectl);
    const [verb = '', ...more] = args;
    const { code, stdout, stderr } = await kubectl.try(verb, ...more);
    return { code, out: stdout, note: stderr };
  }

  /** Creates the user with the bindings of the reader's roles. Returns the name of the user. */
  async userOf(reader: Reader): Promise<string> {
    await this.#kubeconfigOf(reader);
    return userOf(reader);
  }

  #kubeconfigOf(reader: Reader): Promise<string> {
    const user = userOf(reader);
    const known = this.#kubeconfigs.get(user) ?? this.#create(user, reader);
    this.#kubeconfigs.set(user, known);
    return known;
  }

  async #create(user: string, reader: Reader): Promise<string> {
    const path = join(this.#folder, user);
    const { adminKubeconfig } = this.#options;
    const namespace = reader?.find((one) => one.namespace !== undefined)?.namespace ?? (reader?.length === 0 ? 'cluster1' : 'default');
    await writeFile(path, reader ? impersonating(adminKubeconfig, user, namespace) : adminKubeconfig);
    for (const one of reader ?? []) await this.#bind(user, one);
    return path;
  }

  async #bind(user: string, { role, namespace }: ReaderRole): Promise<void> {
    const { hub } = this.#options;
    const metadata = { name: `${user}-${role.replace(':', '-')}`, ...(namespace === undefined ? {} : { namespace }) };
    const grant = {
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole' as const, name: role },
      subjects: [{ apiGroup: RBAC, kind: 'User' as const, name: user }],
    };
    const apiVersion = `${RBAC}/v1`;
    const create =
      namespace === undefined
        ? hub.create(clusterRoleBindings, { apiVersion, kind: 'ClusterRoleBinding', metadata, ...grant })
        : hub.create(roleBindings, { apiVersion, kind: 'RoleBinding', metadata, ...grant });
    await create.catch((error: unknown) => {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    });
  }
}

/** Returns the user for a set of roles. Each set has its own user. */
function userOf(reader: Reader): string {
  if (!reader) return 'administrator';
  if (reader.length === 0) return 'reader-without-roles';
  const names = reader.map(
    ({ role, namespace }) => `${role.replace('outrigger:', '')}${namespace === undefined ? '' : `-in-${namespace}`}`,
  );
  return `reader-${names.join('-')}`;
}

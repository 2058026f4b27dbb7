import { readFile } from 'node:fs/promises';
import { secrets } from '@outrigger/api';
import { errorMessage } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { usageError } from '../../failure.js';

/** The command-line options that define named addresses outside of the hub, each with its Secret and its CA certificates. */
export interface AddressFlags {
  readonly url: { readonly flag: string; readonly values: Readonly<Record<string, string>> };
  readonly secret: { readonly flag: string; readonly values: Readonly<Record<string, string>> };
  readonly ca: { readonly flag: string; readonly values: Readonly<Record<string, string>> };
}

export interface OutsideAddress {
  readonly name: string;
  readonly url: string;
  readonly secret: string | undefined;
  /** CA certificates in PEM. */
  readonly ca: string | undefined;
}

export async function outsideAddresses({ url, secret, ca }: AddressFlags): Promise<readonly OutsideAddress[]> {
  for (const { flag, values } of [secret, ca]) {
    const unknown = Object.keys(values).find((name) => !Object.hasOwn(url.values, name));
    if (unknown !== undefined) throw usageError(`${flag} names ${unknown}, which no ${url.flag} defines`);
  }
  const found: OutsideAddress[] = [];
  for (const [name, address] of Object.entries(url.values)) {
    const problem = urlProblem(address, secret.flag);
    if (problem !== undefined) throw usageError(`${url.flag} ${name}: ${problem}`);
    const file = ca.values[name];
    found.push({ name, url: address, secret: secret.values[name], ca: file === undefined ? undefined : await readCa(file, ca.flag) });
  }
  return found;
}

/**
 * Returns the error in a URL, or undefined if the URL is valid. Credentials in a URL are rejected, because they would appear in logs and
 * errors.
 */
function urlProblem(text: string, secretFlag: string): string | undefined {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') return 'want http://host:port or https://host:port';
  if (parsed.username !== '' || parsed.password !== '') return `the address must not contain credentials; use ${secretFlag}`;
  return parsed.search === '' && parsed.hash === '' ? undefined : 'the address must have no query and no fragment';
}

export async function readCa(file: string, flag: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw usageError(`${flag}: ${errorMessage(error)}`);
  }
}

/** The client and the namespace for reading the Secrets that the command line names. */
export interface SecretSource {
  readonly client: Client;
  readonly namespace: string;
}

/** Reads one value of a Secret. Callers read the value for each request, so that a rotated value is used immediately. */
export async function readSecret({ client, namespace }: SecretSource, name: string, key: string): Promise<string> {
  const { data } = (await client.get(secrets, { namespace, name })) as { readonly data?: Readonly<Record<string, string>> };
  const value = Buffer.from(data?.[key] ?? '', 'base64')
    .toString('utf8')
    .trim();
  if (value === '') throw new Error(`Secret ${namespace}/${name} has no key ${key}`);
  return value;
}

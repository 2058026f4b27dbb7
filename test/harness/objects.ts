import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Http } from './http.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** The built-in kinds that managers and agents use. Secrets are not among them, because evidence may be shown to others. */
const BUILT_IN = [
  '/api/v1/namespaces',
  '/api/v1/configmaps',
  '/api/v1/events',
  '/apis/apps/v1/deployments',
  '/apis/apps/v1/controllerrevisions',
  '/apis/coordination.k8s.io/v1/leases',
  '/apis/certificates.k8s.io/v1/certificatesigningrequests',
  '/apis/rbac.authorization.k8s.io/v1/rolebindings',
];

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly storage: boolean }[];
  };
}

/** Writes the objects of every custom kind and of the listed built-in kinds, one file per kind. */
export async function writeObjects(admin: Http, folder: string): Promise<void> {
  const definitions = await admin.send({ path: DEFINITIONS });
  const { items = [] } = JSON.parse(definitions.text) as { readonly items?: readonly Definition[] };
  const custom = items.map(({ spec }) => {
    const version = spec.versions.find(({ storage }) => storage)?.name ?? '';
    return `/apis/${spec.group}/${version}/${spec.names.plural}`;
  });
  for (const path of [...custom, ...BUILT_IN]) {
    const { text } = await admin.send({ path });
    await writeFile(join(folder, `${path.split('/').at(-1) ?? ''}.json`), indented(text));
  }
}

function indented(text: string): string {
  try {
    return `${JSON.stringify(JSON.parse(text), undefined, 2)}\n`;
  } catch {
    return text;
  }
}

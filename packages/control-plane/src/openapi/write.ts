import { sha256Hex } from '@outrigger/core/hash';
import type { Resource } from '../registry/resource.js';
import { loadBuiltinDefinitions, type BuiltinDefinitions } from './builtin-definitions.js';
import { describe, withDefinitions, type Description } from './description.js';
import { CORE_VERSIONS, groupOperation, GROUPS, SERVER_VERSION } from './discovery-operations.js';
import type { Published, PublishedV2 } from './documents.js';
import { encodeGnostic } from './gnostic.js';
import { documentV2 } from './v2.js';
import { documentV3 } from './v3.js';

/** Writes the OpenAPI documents of one API version. */
export interface DocumentWriter {
  v2(resources: readonly Resource[], version: string): PublishedV2;
  v3(resources: readonly Resource[], version: string): Published;
}

export async function createDocumentWriter(): Promise<DocumentWriter> {
  const builtin = await loadBuiltinDefinitions();
  return {
    v2: (resources, version) => publishV2(documentV2(everything(resources, builtin), version)),
    v3: (resources, version) => publish(documentV3(describe(resources, builtin), version)),
  };
}

function everything(resources: readonly Resource[], builtin: BuiltinDefinitions): Description {
  const { operations, definitions } = describe(resources, builtin, true);
  const groups = new Set(resources.filter(({ isCustom, group }) => !isCustom && group !== '').map(({ group }) => group));
  const general = withDefinitions([CORE_VERSIONS, GROUPS, ...[...groups].map(groupOperation), SERVER_VERSION], builtin.all);
  return { operations: [...general.operations, ...operations], definitions: { ...general.definitions, ...definitions } };
}

function publish(document: object): Published {
  const json = Buffer.from(JSON.stringify(document));
  return { json, hash: sha256Hex(json).toUpperCase() };
}

function publishV2(document: object): PublishedV2 {
  const published = publish(document);
  let protobuf: Uint8Array | undefined;
  // Parse the JSON again instead of keeping the object, because few clients request this format and an object needs several times the
  // memory of its text.
  const encode = (): Uint8Array => encodeGnostic(JSON.parse(Buffer.from(published.json).toString()) as object);
  return { ...published, protobuf: () => (protobuf ??= encode()) };
}

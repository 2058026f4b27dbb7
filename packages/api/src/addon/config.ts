import { integer, object, optional, required, string, withDefault } from '../schema/builders.js';
import type { FieldDefinition, TypeDefinition } from '../schema/types.js';

/** The config fields that both versions of the add-on kinds have. */
export const groupResource: Readonly<Record<'group' | 'resource', FieldDefinition>> = {
  group: optional('API group of the configuration; empty for the core group.', withDefault(string(), '')),
  resource: required('Plural resource name of the configuration, such as `addondeploymentconfigs`.', string({ minLength: 1 })),
};

export const referent: Readonly<Record<'namespace' | 'name', FieldDefinition>> = {
  namespace: optional('Namespace of the configuration; absent for a cluster-scoped one.', string()),
  name: required('Name of the configuration.', string({ minLength: 1 })),
};

export const configGroupResource: TypeDefinition = object('ConfigGroupResource', 'A kind of configuration.', groupResource);

export const configReferent: TypeDefinition = object('ConfigReferent', 'The location of a configuration object.', referent);

export const addOnConfig: TypeDefinition = object('AddOnConfig', 'A reference to one configuration object.', {
  ...groupResource,
  ...referent,
});

export const configSpecHash: TypeDefinition = object('ConfigSpecHash', 'A configuration object with the digest of its content.', {
  ...referent,
  specHash: optional('SHA-256 of the content, in hex; empty while the object has not been read.', string()),
});

export const addOnMeta: TypeDefinition = object('AddOnMeta', 'The name and description of the add-on for users.', {
  displayName: optional('Name shown in lists.', string()),
  description: optional('What the add-on does.', string()),
});

export const configCoordinates: TypeDefinition = object(
  'ConfigCoordinates',
  'The original form of a reference to a configuration. It is stored but not used.',
  {
    crdName: optional('Name of the CustomResourceDefinition of the configuration.', string()),
    crName: optional('Name of the configuration object.', string()),
    lastObservedGeneration: optional('The last observed generation of the configuration.', integer()),
  },
);

export const SIGNER_NAME: TypeDefinition = string({
  minLength: 5,
  maxLength: 571,
  pattern: '^([a-z0-9][a-z0-9-]*[a-z0-9]\\.)+[a-z]+\\/[a-z0-9-\\.]+$',
});

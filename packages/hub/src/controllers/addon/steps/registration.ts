import { type AddOnCondition, type ConfigGroupResource, REGISTRATION_APPLIED_MESSAGES, type RegistrationConfig } from '@outrigger/api';
import { DEPLOYMENT_CONFIG_RESOURCE, TEMPLATE_RESOURCE, groupResource, isTemplate } from '../../../configuration/references.js';
import { ADDON_GROUP } from '@outrigger/api';
import type { AddOnState } from '../state.js';
import type { EffectiveConfigs } from './configuration.js';

export interface RegistrationResult {
  readonly condition: Extract<AddOnCondition, { type: 'RegistrationApplied' }>;
  readonly registrations: readonly RegistrationConfig[] | undefined;
  readonly supportedConfigs: readonly ConfigGroupResource[];
}

/** The hub's half of an add-on's identity: whom its certificates name, and what that name may do. */
export function registrationStep({ declaration }: AddOnState, effective: EffectiveConfigs): RegistrationResult {
  const template = effective.refs.find(isTemplate);
  const spec = template && (effective.contentOf(template)?.['spec'] as { registration?: readonly unknown[] } | undefined);
  const supportedConfigs = supportedKinds(declaration?.spec.supportedConfigs ?? []);
  if (spec?.registration && spec.registration.length > 0) {
    const message = REGISTRATION_APPLIED_MESSAGES.permissionFailed('registration of template add-ons is not built yet');
    return {
      condition: { type: 'RegistrationApplied', status: 'False', reason: 'SetPermissionFailed', message },
      registrations: undefined,
      supportedConfigs,
    };
  }
  return {
    condition: {
      type: 'RegistrationApplied',
      status: 'True',
      reason: 'NilRegistration',
      message: REGISTRATION_APPLIED_MESSAGES.configured,
    },
    registrations: undefined,
    supportedConfigs,
  };
}

/** What the add-on understands: what is declared, and what every template add-on does. Always in the same order. */
function supportedKinds(declared: readonly ConfigGroupResource[]): readonly ConfigGroupResource[] {
  const all = [
    ...declared.map(({ group = '', resource }) => ({ group, resource })),
    { group: ADDON_GROUP, resource: DEPLOYMENT_CONFIG_RESOURCE },
    { group: ADDON_GROUP, resource: TEMPLATE_RESOURCE },
  ];
  return [...new Map(all.map((kind) => [groupResource(kind), kind])).entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, kind]) => kind);
}

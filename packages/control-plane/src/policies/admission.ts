import type { ExpressionFunction } from '@outrigger/core/cel';
import {
  type ApiReason,
  ApiError,
  type Cancel,
  errorMessage,
  type KubeObject,
  type Runtime,
  lazy,
  type AdmissionVerdict,
} from '@outrigger/core';
import { authorizerOf } from '../admission/authorizer.js';
import { equivalentsOf, inForm } from '../admission/forms.js';
import { isExempt, type NamespaceLabels } from '../admission/match.js';
import { requestFields } from '../admission/reviewed.js';
import { forbiddenResource } from '../authz/forbidden.js';
import { everyEntry } from '../every-entry.js';
import type { ServerAdmission, AdmissionAttributes } from '../handle/contract.js';
import type { Registry } from '../registry/registry.js';
import type { Resource } from '../registry/resource.js';
import type { Store } from '../store/contract.js';
import { storageKey, storagePrefix } from '../store/key.js';
import type { Binding, Policy } from './contract.js';
import { compilePolicy, type Evaluate, type Failure } from './evaluate.js';
import { wantedForm } from './match.js';
import { paramResource, paramsOf } from './params.js';

export interface PolicyAdmissionOptions {
  readonly runtime: Runtime;
  readonly store: Store;
  readonly registry: Registry;
  readonly namespaceLabels: NamespaceLabels;
  readonly functions: readonly ExpressionFunction[];
}

interface Enforced {
  readonly policy: Policy;
  readonly bindings: readonly Binding[];
  readonly evaluate: () => Evaluate;
}

/** A failure, with the policy and the binding that caused it. */
interface Finding extends Failure {
  readonly policy: Policy;
  readonly binding?: Binding;
}

const GROUP = 'admissionregistration.k8s.io';
const NOTHING: AdmissionVerdict = {};
/** The API groups that policies skip, because their kinds (SubjectAccessReview, TokenReview) write nothing. */
const UNCHECKED_GROUPS: readonly string[] = ['authentication.k8s.io', 'authorization.k8s.io'];
const CODES: Readonly<Record<string, number>> = { Unauthorized: 401, Forbidden: 403, RequestEntityTooLarge: 413, Invalid: 422 };

/** Returns the admission that the stored ValidatingAdmissionPolicies and their bindings define. */
export function policyAdmission(options: PolicyAdmissionOptions): ServerAdmission & { readonly stop: Cancel } {
  const { store, registry } = options;
  const policies = new Map<string, Policy>();
  const bindings = new Map<string, Binding>();
  let enforced: readonly Enforced[] | undefined = [];
  const forget = (): void => {
    enforced = undefined;
  };
  const stops = [
    follow(store, 'validatingadmissionpolicies', policies, forget),
    follow(store, 'validatingadmissionpolicybindings', bindings, forget),
  ];
  return {
    validate: (request) => {
      if (policies.size === 0 || bindings.size === 0 || isExempt(request) || UNCHECKED_GROUPS.includes(request.group)) return NOTHING;
      const requested = registry.find(request.group, request.version, request.resource);
      enforced ??= arranged(policies, bindings, options.functions);
      return requested ? enforce(options, enforced, request, requested) : NOTHING;
    },
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}

function follow<T extends KubeObject>(store: Store, plural: string, found: Map<string, T>, onChange: () => void): Cancel {
  const prefix = storagePrefix({ group: GROUP, plural });
  const set = (object: KubeObject): void => {
    found.set(object.metadata.name ?? '', object as T);
    onChange();
  };
  for (const { object } of everyEntry(store, prefix)) set(object);
  return store.subscribe(({ key, type, object }) => {
    if (!key.startsWith(prefix)) return;
    if (type === 'put') return set(object);
    found.delete(object.metadata.name ?? '');
    onChange();
  });
}

function arranged(
  policies: ReadonlyMap<string, Policy>,
  bindings: ReadonlyMap<string, Binding>,
  functions: readonly ExpressionFunction[],
): readonly Enforced[] {
  const inOrder = [...bindings.keys()].sort().flatMap((name) => bindings.get(name) ?? []);
  return [...policies.keys()].sort().flatMap((name) => {
    const policy = policies.get(name);
    const own = inOrder.filter(({ spec }) => spec.policyName === name);
    return policy && own.length > 0 ? [{ policy, bindings: own, evaluate: lazy(() => compilePolicy(policy.spec, functions)) }] : [];
  });
}

async function enforce(
  options: PolicyAdmissionOptions,
  enforced: readonly Enforced[],
  request: AdmissionAttributes,
  requested: Resource,
): Promise<AdmissionVerdict> {
  const { store, registry, namespaceLabels } = options;
  const forms = { requested, equivalents: equivalentsOf(registry, requested) };
  const denials: Finding[] = [];
  for (const { policy, bindings, evaluate } of enforced) {
    const form = wantedForm(policy.spec.matchConstraints ?? {}, request, forms, namespaceLabels);
    if (!form) continue;
    const reviewed = await inForm(request, requested, form);
    const { object = null, oldObject = null } = reviewed;
    const about = { request: requestFields(reviewed), authorizer: authorizerOf(request), namespaceObject: namespaceOf(store, request) };
    const values = { object, oldObject, ...about };
    for (const binding of bindings) {
      const { matchResources } = binding.spec;
      if (matchResources && !wantedForm(matchResources, request, forms, namespaceLabels)) continue;
      const params = await boundParams(options, policy, binding, request);
      if ('message' in params) {
        denials.push({ policy, ...params });
        continue;
      }
      const failures = params.found.flatMap((param) => evaluate()({ ...values, params: param }));
      const found = failures.map((failure) => ({ policy, binding, ...failure }));
      denials.push(...found.filter((each) => isDenied(options.runtime, request, each)));
    }
  }
  const [first] = denials;
  if (first) throw refusal(request, first);
  return NOTHING;
}

/** Performs the binding's validation actions for a failure. Returns whether the request is denied. */
function isDenied(
  runtime: Runtime,
  request: AdmissionAttributes,
  { policy, binding, message }: Finding & { readonly binding: Binding },
): boolean {
  const { validationActions = [] } = binding.spec;
  const names = { policy: policy.metadata.name, binding: binding.metadata.name };
  if (validationActions.includes('Warn')) {
    request.warn(`Validation failed for ValidatingAdmissionPolicy '${names.policy}' with binding '${names.binding}': ${message}`);
  }
  // This server has no audit log, so the action `Audit` writes to the server's own log.
  if (validationActions.includes('Audit')) {
    runtime.log.info({ ...names, user: request.identity.user, failure: message }, 'validation of an admission policy failed');
  }
  return validationActions.includes('Deny');
}

type Params = { readonly found: readonly (KubeObject | null)[] } | (Failure & { readonly binding?: Binding });

/**
 * Returns the parameters of a binding. The policy is evaluated once for each parameter. If the parameters cannot be found, returns a
 * failure or, if failurePolicy is Ignore, no parameters.
 */
async function boundParams(
  { store, registry }: PolicyAdmissionOptions,
  policy: Policy,
  binding: Binding,
  request: AdmissionAttributes,
): Promise<Params> {
  const { paramKind, failurePolicy } = policy.spec;
  const { paramRef } = binding.spec;
  const wrong = (what: string, error: unknown, where: { readonly binding?: Binding }): Params =>
    failurePolicy === 'Ignore' ? { found: [] } : { message: `failed to configure ${what}: ${errorMessage(error)}`, ...where };
  if (!paramKind) return { found: [null] };
  let resource: Resource;
  try {
    resource = paramResource(registry, paramKind);
  } catch (error) {
    return wrong('policy', error, {});
  }
  if (!paramRef) return { found: [null] };
  try {
    return { found: await paramsOf(store, resource, paramRef, request.namespace) };
  } catch (error) {
    return wrong('binding', error, { binding });
  }
}

/** Returns the namespace of a request, or null for cluster-scoped objects and for namespaces. */
function namespaceOf(store: Store, { namespace, group, resource }: AdmissionAttributes): KubeObject | null {
  if (namespace === '' || (group === '' && resource === 'namespaces')) return null;
  return store.get(storageKey({ group: '', plural: 'namespaces', namespace: '', name: namespace }))?.object ?? null;
}

function refusal(request: AdmissionAttributes, { policy, binding, message, reason = 'Invalid' }: Finding): ApiError {
  const by = binding ? ` with binding '${binding.metadata.name}'` : '';
  const why = `ValidatingAdmissionPolicy '${policy.metadata.name}'${by} denied request: ${message}`;
  const { message: text, details } = forbiddenResource(request, why);
  return new ApiError(reason as ApiReason, text, { code: CODES[reason] ?? 422, details: { ...details, causes: [{ message: why }] } });
}

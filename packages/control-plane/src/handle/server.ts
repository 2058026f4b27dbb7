import { RequestMetrics } from '../metrics/request-metrics.js';
import { OpenApiDocuments } from '../openapi/documents.js';
import { builtinResources } from '../registry/builtin.js';
import { followDefinitions } from '../registry/crd/follow.js';
import { Registry } from '../registry/registry.js';
import type { ApiServer, ApiServerOptions, Authorizer, ServedResource } from './contract.js';
import { authorizerFunctions } from '../admission/authorizer.js';
import type { ServerState } from './context.js';
import { createHandle } from './handle.js';
import { cleanUpDefinitions } from './custom-cleanup.js';
import { VERSION } from './non-resource/version.js';
import { limitHistory } from '../store/history.js';
import { storagePrefix } from '../store/key.js';
import { WatchHub } from './watch/hub.js';
import { composeAdmission, exempting } from '../compose-admission.js';
import { storedNamespaceLabels } from '../admission/namespaces.js';
import { policyAdmission } from '../policies/admission.js';
import { storedServices, webhookAdmission } from '../webhooks/admission.js';

/** Creates the API server. All its state is in `store`. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const { runtime, store } = options;
  const registry = new Registry(builtinResources());
  const watches = new WatchHub(store);
  const caller = options.webhooks && { runtime, transport: options.webhooks, services: storedServices(store) };
  const namespaceLabels = storedNamespaceLabels(store);
  const authorize: Authorizer = options.authorize ?? (() => ({ allowed: true }));
  const admitting = { runtime, store, registry, namespaceLabels, functions: authorizerFunctions(authorize) };
  const policies = policyAdmission(admitting);
  const webhooks = caller && webhookAdmission({ ...admitting, caller });
  const { isExempt } = options;
  const configured = (webhooks ? [policies, webhooks] : [policies]).map((each) => (isExempt ? exempting(each, isExempt) : each));
  const server: ServerState = {
    runtime,
    store,
    registry,
    openApi: new OpenApiDocuments(registry, `${VERSION.major}.${VERSION.minor}`),
    watches,
    requests: new RequestMetrics(),
    processUsage: options.processUsage,
    authorize,
    admission: composeAdmission([...(options.admission ?? []), ...configured]),
    virtual: options.virtual ?? {},
    documents: options.documents ?? {},
  };
  const stopFollowing = followDefinitions({
    store,
    registry,
    converters: { convert: options.convert, convertsInProcess: options.convertsInProcess ?? (() => true), caller },
    onReplaced: (resource) => watches.end(storagePrefix(resource)),
  });
  const handle = createHandle(server);
  const stopCleaning = cleanUpDefinitions(server, handle);
  const stopCompacting = limitHistory(store, runtime, options.history);
  return {
    handle,
    store,
    resources: () => registry.all().map(served),
    close() {
      stopCompacting();
      stopCleaning();
      stopFollowing();
      policies.stop();
      webhooks?.stop();
      watches.close();
    },
  };
}

function served({ group, version, kind, plural, namespaced, isStorageVersion, verbs }: ServedResource): ServedResource {
  return { group, version, kind, plural, namespaced, isStorageVersion, verbs };
}

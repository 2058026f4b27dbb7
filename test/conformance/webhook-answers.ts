import { type Hook, RawAnswer } from './webhook-server.js';

/** Responses that webhooks may give, and how a server handles them. */

export const ALLOWED = { allowed: true };

export function patchOf(...operations: readonly object[]): object {
  return { allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}

export function answering(status: number, body: unknown): Hook {
  return () => new RawAnswer(status, typeof body === 'string' ? body : JSON.stringify(body));
}

export const REFUSALS: readonly { readonly name: string; readonly hook: Hook; readonly told: object }[] = [
  {
    name: 'nothing-said',
    hook: () => ({ allowed: false }),
    told: { code: 400, message: 'admission webhook "nothing-said.example.com" denied the request without explanation' },
  },
  {
    name: 'a-status',
    hook: () => ({ allowed: false, status: { code: 403, reason: 'Forbidden', message: 'no', details: { causes: [{ field: 'a' }] } } }),
    told: {
      code: 403,
      reason: 'Forbidden',
      message: 'admission webhook "a-status.example.com" denied the request: no',
      details: { causes: [{ field: 'a' }] },
    },
  },
  {
    name: 'a-reason',
    hook: () => ({ allowed: false, status: { reason: 'Sad', code: 499 } }),
    told: { code: 499, reason: 'Sad', message: 'admission webhook "a-reason.example.com" denied the request: Sad' },
  },
  {
    name: 'a-success',
    hook: () => ({ allowed: false, status: { code: 200, status: 'Success' } }),
    told: { code: 400, status: 'Failure' },
  },
];

const INVALID = 'received invalid webhook response';
const FAILED = 'failed to call webhook';

/** Invalid responses from a validating webhook. */
export const FAILURES: readonly { readonly name: string; readonly hook: Hook; readonly why: string | RegExp }[] = [
  { name: 'a-patch', hook: () => patchOf({}), why: `${INVALID}: validating webhook may not return response.patch` },
  {
    name: 'another-uid',
    hook: () => ({ uid: 'x', ...ALLOWED }),
    why: /received invalid webhook response: expected response.uid="[-\w]+", got "x"$/,
  },
  {
    name: 'status-500',
    hook: answering(500, 'x'),
    why: `${FAILED}: an error on the server ("unknown") has prevented the request from succeeding`,
  },
  { name: 'status-404', hook: answering(404, 'x'), why: `${FAILED}: the server could not find the requested resource` },
  {
    name: 'a-redirect',
    hook: answering(302, 'x'),
    why: `${FAILED}: the server responded with the status code 302 but did not return more information`,
  },
  {
    name: 'nothing',
    hook: answering(200, ''),
    why: `${FAILED}: 0-length response with status code: 200 and content type: application/json`,
  },
  {
    name: 'no-response',
    hook: answering(200, { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }),
    why: `${INVALID}: webhook response was absent`,
  },
];

/** Webhook entries that the server rejects. Fields that are not listed are valid. */
export const MISCONFIGURED: readonly { readonly name: string; readonly fields: object; readonly problems: readonly string[] }[] = [
  {
    name: 'a short name',
    fields: { name: 'x' },
    problems: ['name: Invalid value: "x": should be a domain with at least three segments separated by dots'],
  },
  {
    name: 'side effects',
    fields: { sideEffects: 'Some' },
    problems: ['sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
  },
  {
    name: 'no side effects',
    fields: { sideEffects: undefined },
    problems: ['sideEffects: Required value: must specify one of None, NoneOnDryRun'],
  },
  {
    name: 'unknown reviews',
    fields: { admissionReviewVersions: ['v9'] },
    problems: ['admissionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1'],
  },
  {
    name: 'no reviews',
    fields: { admissionReviewVersions: [] },
    problems: ['admissionReviewVersions: Required value: must specify one of v1, v1beta1'],
  },
  { name: 'no place', fields: { clientConfig: {} }, problems: ['clientConfig: Required value: exactly one of url or service is required'] },
  {
    name: 'two places',
    fields: { clientConfig: { url: 'https://x/y', service: { name: 'a', namespace: 'b' } } },
    problems: ['clientConfig: Required value: exactly one of url or service is required'],
  },
  {
    name: 'a URL with everything',
    fields: { clientConfig: { url: 'http://x/y?z=1#f' } },
    problems: [
      `clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      'clientConfig.url: Invalid value: "f": fragments are not permitted in the URL',
      'clientConfig.url: Invalid value: "z=1": query parameters are not permitted in the URL',
    ],
  },
  {
    name: 'a service without name',
    fields: { clientConfig: { service: { name: '', namespace: '', path: 'x//y', port: 0 } } },
    problems: [
      'clientConfig.service.name: Required value',
      'clientConfig.service.namespace: Required value',
      'clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
      `clientConfig.service.path: Invalid value: "x//y": must start with a '/'`,
      'clientConfig.service.path: Invalid value: "x//y": segment[0] may not be empty',
      'clientConfig.service.path: Invalid value: "x//y": segment[1] may not be empty',
    ],
  },
  {
    name: 'a long timeout',
    fields: { timeoutSeconds: 31 },
    problems: ['timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds'],
  },
  {
    name: 'unknown policies',
    fields: { failurePolicy: 'X', matchPolicy: 'Y', reinvocationPolicy: 'Z' },
    problems: [
      'failurePolicy: Unsupported value: "X": supported values: "Fail", "Ignore"',
      'matchPolicy: Unsupported value: "Y": supported values: "Equivalent", "Exact"',
      'reinvocationPolicy: Unsupported value: "Z": supported values: "IfNeeded", "Never"',
    ],
  },
  {
    name: 'everything and more',
    fields: { rules: [{ apiGroups: [], apiVersions: ['v1', '*'], resources: ['*/*', 'x'], operations: ['CREATE', '*'], scope: 'Q' }] },
    problems: [
      `rules[0].operations: Invalid value: ["CREATE","*"]: if '*' is present, must not specify other operations`,
      'rules[0].apiGroups: Required value',
      `rules[0].apiVersions: Invalid value: ["v1","*"]: if '*' is present, must not specify other API versions`,
      `rules[0].resources: Invalid value: ["*/*","x"]: if '*/*' is present, must not specify other resources`,
      'rules[0].scope: Unsupported value: "Q": supported values: "*", "Cluster", "Namespaced"',
    ],
  },
  {
    name: 'unknown operations',
    fields: { rules: [{ apiGroups: [''], apiVersions: [], resources: [], operations: ['NOPE'] }] },
    problems: [
      'rules[0].operations[0]: Unsupported value: "NOPE": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
      'rules[0].apiVersions: Required value',
      'rules[0].resources: Required value',
    ],
  },
  {
    name: 'conditions that do not compile',
    fields: {
      matchConditions: [
        { name: '', expression: '' },
        { name: 'x', expression: '1' },
      ],
    },
    problems: [
      'matchConditions[0].expression: Required value',
      'matchConditions[0].name: Required value',
      'matchConditions[1].expression: Invalid value: "1": must evaluate to bool but got int',
    ],
  },
];

/** Responses from a mutating webhook whose patch the server cannot apply. */
export const PATCH_FAILURES: readonly { readonly name: string; readonly response: object; readonly why: string }[] = [
  {
    name: 'without-type',
    response: { patch: 'W10=' },
    why: `failed calling webhook "without-type.example.com": ${INVALID}: webhook returned response.patch but not response.patchType`,
  },
  {
    name: 'without-patch',
    response: { patchType: 'JSONPatch' },
    why: `failed calling webhook "without-patch.example.com": ${INVALID}: webhook returned response.patchType but not response.patch`,
  },
  {
    name: 'another-type',
    response: { patchType: 'Merge', patch: 'W3t9XQ==' },
    why: 'failed calling webhook "another-type.example.com": unsupported patch type "Merge"',
  },
  {
    name: 'unfitting',
    response: patchOf({ op: 'remove', path: '/nope' }),
    why: "error in remove for path: '/nope': Unable to remove nonexistent key: nope: missing value",
  },
];

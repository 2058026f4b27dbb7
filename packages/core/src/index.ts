export type { Admission, AdmissionRequest, AdmissionVerdict, GroupVersionKind, UserInfo } from './admission.js';
export { decodeText, encodeText } from './base64.js';
export { backoffMs } from './backoff.js';
export type { Backoff } from './backoff.js';
export { TimeHeap } from './queue/heap.js';
export { WorkQueue } from './queue/work-queue.js';
export type { Urgency } from './queue/work-queue.js';
export { clipText } from './clip-text.js';
export { collect } from './collect.js';
export { CostPool } from './cost.js';
export { compareText } from './compare-text.js';
export { countText } from './count-text.js';
export { defined } from './defined.js';
export type { Defined } from './defined.js';
export { earliest } from './earliest.js';
export { conditionStatus, findCondition, isConditionTrue, removeCondition, setCondition } from './conditions.js';
export type { ConditionInput } from './conditions.js';
export { ApiError, TerminalError, assertNever, errorMessage, ifFound, isApiError } from './errors.js';
export type { ApiReason, ApiStatus } from './errors.js';
export { indexBy } from './index-by.js';
export { asJson, isJsonObject, objectOrEmpty, parseJson } from './json.js';
export { jsonSize } from './json-size.js';
export type { Json, JsonObject, MutableJson, MutableJsonObject } from './json.js';
export { apiVersionOf, keyOf, keyString, nameOf, parseKey, withoutManagedFields } from './meta.js';
export type {
  Condition,
  ConditionStatus,
  Kind,
  KubeList,
  KubeObject,
  ListMeta,
  ManagedFieldsEntry,
  ObjectKey,
  ObjectMeta,
  OwnerReference,
} from './meta.js';
export type { Cancel, Clock, Keys, LogFields, Logger, Random, Runtime, Scope, Timers } from './runtime.js';
export { BoundedCache } from './memo/bounded-cache.js';
export { lazy } from './memo/lazy.js';
export { memoize, memoizeText } from './memo/memoize.js';
export { noMetrics } from './metrics.js';
export type { Gauge, MetricDefinition, MetricLabels, Metrics } from './metrics.js';
export { collectionPath, groupVersionPath, objectPath, requireNamespace } from './paths.js';
export type { Intern, Projected } from './projected.js';
export { TIME_ROUNDING_MS, calendarDay, daysSinceEpoch, parseTime, roundUpToSecond, toMicroTime, toTime } from './time.js';
export type { ApiRequest, ApiResponse, Transport, WatchEvent } from './transport.js';
export { fieldsOf, parseFieldSelector } from './field-selectors.js';
export type { FieldSelector } from './field-selectors.js';
export {
  guessPlural,
  parseApiVersion,
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelValue,
  validateQualifiedName,
} from './names.js';
export { checkJsonText } from './json-text.js';
export { SeededRandom } from './seeded-random.js';
export { compileLabelSelector, parseLabelSelector, selectorToString, validateLabelSelector } from './selectors.js';
export type { LabelSelector, LabelSelectorRequirement, Labels, Selector } from './selectors.js';
export { shell, shellWord } from './shell-word.js';
export { applyObject, trackUpdate, typeNameOf } from './apply/apply.js';
export type { ApplyVersions, OwnershipOptions } from './apply/apply.js';
export { MAX_DEPTH, assertDepth, setOwn, tooDeep } from './patch/own.js';
export { createMergePatch, mergePatch } from './patch/merge-patch.js';
export { deepEqual, deepFreeze } from './patch/equal.js';
export { jsonPatch } from './patch/json-patch.js';
export { strategicMergePatch } from './patch/strategic-merge.js';
export { formatDuration, formatDurationNanos, parseDuration, parseDurationNanos } from './duration.js';
export { isQuantity, parseQuantity, Quantity } from './quantity.js';
export { compareVersions, highestVersion } from './version.js';
export { compileJsonPath } from './jsonpath/compile.js';
export type { JsonPath } from './jsonpath/compile.js';
export { matchesWildcard } from './wildcard.js';

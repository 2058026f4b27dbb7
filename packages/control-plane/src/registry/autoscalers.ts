import { type KubeObject, parseJson } from '@outrigger/core';
import { fieldsOf, isFields, listOf, type Fields, type MutableFields } from './draft.js';

/**
 * HorizontalPodAutoscalers are stored as autoscaling/v2. Version v1 is a view of them with a single number, the target CPU utilization.
 * Fields that v1 lacks become annotations of the v1 object, and the annotations of a v1 object become fields when it is stored.
 */
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const CURRENT_METRICS = 'autoscaling.alpha.kubernetes.io/current-metrics';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions';
const ANNOTATIONS = [METRICS, CURRENT_METRICS, BEHAVIOR, CONDITIONS];
const DEFAULT_UTILIZATION = 80;

export function autoscalerToStorage(object: KubeObject): KubeObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = fieldsOf(object, 'spec');
  const { currentCPUUtilizationPercentage: current, ...status } = fieldsOf(object, 'status');
  const { annotations = {}, ...metadata } = object.metadata;
  const kept = Object.fromEntries(Object.entries(annotations).filter(([name]) => !ANNOTATIONS.includes(name)));
  const others = parsed(annotations[METRICS]);
  const metrics = [...(target === undefined ? [] : [cpuTarget(target)]), ...others];
  const currentMetrics = [...(current === undefined ? [] : [cpuCurrent(current)]), ...parsed(annotations[CURRENT_METRICS])];
  const [behavior] = parsed(annotations[BEHAVIOR] === undefined ? undefined : `[${annotations[BEHAVIOR]}]`);
  const conditions = parsed(annotations[CONDITIONS]);
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: { ...metadata, ...(Object.keys(kept).length === 0 ? {} : { annotations: kept }) },
    spec: { ...spec, metrics: metrics.length === 0 ? [cpuTarget(DEFAULT_UTILIZATION)] : metrics, ...(behavior ? { behavior } : {}) },
    status: {
      ...status,
      ...(currentMetrics.length === 0 ? {} : { currentMetrics }),
      ...(conditions.length === 0 ? {} : { conditions }),
    },
  } as KubeObject;
}

export function autoscalerFromStorage(object: KubeObject): KubeObject {
  const { metrics: _, behavior, ...spec } = fieldsOf(object, 'spec');
  const { currentMetrics: __, conditions: ___, ...status } = fieldsOf(object, 'status');
  const [target, otherMetrics] = split(listOf(fieldsOf(object, 'spec'), 'metrics'), 'target');
  const [current, otherCurrent] = split(listOf(fieldsOf(object, 'status'), 'currentMetrics'), 'current');
  const conditions = listOf(fieldsOf(object, 'status'), 'conditions');
  const annotations = {
    ...object.metadata.annotations,
    ...(otherMetrics.length === 0 ? {} : { [METRICS]: JSON.stringify(otherMetrics) }),
    ...(otherCurrent.length === 0 ? {} : { [CURRENT_METRICS]: JSON.stringify(otherCurrent) }),
    ...(behavior === undefined ? {} : { [BEHAVIOR]: JSON.stringify(behavior) }),
    ...(conditions.length === 0 ? {} : { [CONDITIONS]: JSON.stringify(conditions) }),
  };
  return {
    ...object,
    apiVersion: 'autoscaling/v1',
    metadata: { ...object.metadata, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
    spec: { ...spec, ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }) },
    status: { currentReplicas: 0, ...status, ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }) },
  } as KubeObject;
}

function cpuTarget(averageUtilization: unknown): MutableFields {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

function cpuCurrent(averageUtilization: unknown): MutableFields {
  return { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization } } };
}

/** Splits metrics into the CPU utilization and all others. */
function split(metrics: readonly Fields[], field: 'target' | 'current'): readonly [unknown, readonly Fields[]] {
  const own = metrics.find((metric) => {
    const resource = fieldsOf(metric, 'resource');
    return metric['type'] === 'Resource' && resource['name'] === 'cpu' && fieldsOf(resource, field)['averageUtilization'] !== undefined;
  });
  return [own && fieldsOf(fieldsOf(own, 'resource'), field)['averageUtilization'], metrics.filter((metric) => metric !== own)];
}

/** Parses an annotation. Any client may write annotations, so a value that is not a list of objects is ignored. */
function parsed(text: string | undefined): readonly MutableFields[] {
  const value = text === undefined ? undefined : parseJson(text);
  return Array.isArray(value) ? value.filter(isFields) : [];
}

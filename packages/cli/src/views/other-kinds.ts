import {
  ADDON_NAME_LABEL,
  ADDON_VERSION_LABEL,
  type AddOnTemplate,
  type ManagedClusterSet,
  type ManifestWork,
  type Placement,
} from '@outrigger/api';
import { findCondition, nameOf } from '@outrigger/core';
import { age } from '../terminal/age.js';
import type { TableColumn } from '../terminal/table.js';
import { statusCell } from './conditions.js';

export function templateColumns(nowMs: number): readonly TableColumn<AddOnTemplate>[] {
  return [
    { title: 'NAME', cell: nameOf, isShortened: true },
    { title: 'ADDON', cell: ({ spec }) => spec.addonName, isShortened: true },
    { title: 'VERSION', cell: ({ metadata }) => metadata.labels?.[ADDON_VERSION_LABEL], isShortened: true },
    { title: 'MANIFESTS', cell: ({ spec }) => String(spec.agentSpec.workload?.manifests?.length ?? 0) },
    { title: 'REGISTRATIONS', cell: ({ spec }) => (spec.registration ?? []).map(({ type }) => type).join(', '), dropAt: 2 },
    { title: 'AGE', cell: ({ metadata }) => age(metadata.creationTimestamp, nowMs), dropAt: 1 },
  ];
}

export function placementColumns(nowMs: number): readonly TableColumn<Placement>[] {
  return [
    { title: 'NAMESPACE', cell: ({ metadata }) => metadata.namespace, isShortened: true },
    { title: 'NAME', cell: nameOf, isShortened: true },
    { title: 'SATISFIED', cell: ({ status }) => statusCell(status?.conditions, 'PlacementSatisfied') },
    { title: 'REASON', cell: ({ status }) => findCondition(status?.conditions, 'PlacementSatisfied')?.reason },
    { title: 'SELECTED', cell: ({ status }) => String(status?.numberOfSelectedClusters ?? 0) },
    { title: 'AGE', cell: ({ metadata }) => age(metadata.creationTimestamp, nowMs), dropAt: 1 },
    { title: 'MESSAGE', cell: ({ status }) => findCondition(status?.conditions, 'PlacementSatisfied')?.message, wide: true },
  ];
}

export function clusterSetColumns(nowMs: number): readonly TableColumn<ManagedClusterSet>[] {
  return [
    { title: 'NAME', cell: nameOf, isShortened: true },
    { title: 'EMPTY', cell: ({ status }) => findCondition(status?.conditions, 'ClusterSetEmpty')?.status },
    { title: 'CLUSTERS', cell: ({ status }) => findCondition(status?.conditions, 'ClusterSetEmpty')?.message, isShortened: true },
    { title: 'AGE', cell: ({ metadata }) => age(metadata.creationTimestamp, nowMs), dropAt: 1 },
  ];
}

export function workColumns(nowMs: number): readonly TableColumn<ManifestWork>[] {
  return [
    { title: 'CLUSTER', cell: ({ metadata }) => metadata.namespace, isShortened: true },
    { title: 'NAME', cell: nameOf, isShortened: true },
    { title: 'ADDON', cell: ({ metadata }) => metadata.labels?.[ADDON_NAME_LABEL], isShortened: true, dropAt: 3 },
    { title: 'MANIFESTS', cell: ({ spec }) => String(spec.workload?.manifests?.length ?? 0), dropAt: 2 },
    { title: 'APPLIED', cell: ({ status }) => statusCell(status?.conditions, 'Applied') },
    { title: 'AVAILABLE', cell: ({ status }) => statusCell(status?.conditions, 'Available') },
    { title: 'AGE', cell: ({ metadata }) => age(metadata.creationTimestamp, nowMs), dropAt: 1 },
    { title: 'MESSAGE', cell: ({ status }) => findCondition(status?.conditions, 'Applied')?.message, wide: true },
  ];
}

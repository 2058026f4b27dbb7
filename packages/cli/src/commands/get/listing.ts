import type { KubeObject } from '@outrigger/core';
import type { TableColumn } from '../../terminal/table.js';

/** The result of a listing: a table for terminals, and objects for machine-readable formats. */
export interface Listing<Row> {
  readonly rows: readonly Row[];
  readonly columns: (nowMs: number) => readonly TableColumn<Row>[];
  readonly object: (row: Row) => KubeObject;
  /** Returns the labels against which `--selector` is evaluated. By default these are the object's own labels. */
  readonly labels?: (row: Row) => Readonly<Record<string, string>> | undefined;
  /** Whether the row's object is healthy. Undefined for kinds without a state. */
  readonly isWell?: (row: Row) => boolean;
  /** Lines below the table about actions that the user should take, with the commands for them. */
  readonly remarks?: string;
}

/** A listing whose row type is opaque to callers. */
export type AnyListing = Listing<unknown>;

export function listing<Row>(one: Listing<Row>): AnyListing {
  return one as unknown as AnyListing;
}

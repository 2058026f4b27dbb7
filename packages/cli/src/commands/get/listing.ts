import type { KubeObject } from '@outrigger/core';
import type { TableColumn } from '../../terminal/table.js';

/** The result of a listing: the table is for people, the objects are for programs. */
export interface Listing<Row> {
  readonly rows: readonly Row[];
  readonly columns: (nowMs: number) => readonly TableColumn<Row>[];
  readonly object: (row: Row) => KubeObject;
  /** The labels that `--selector` reads; those of the object unless given. */
  readonly labels?: (row: Row) => Readonly<Record<string, string>> | undefined;
  /** Whether the row is as it should be. Kinds without a state have none. */
  readonly isWell?: (row: Row) => boolean;
}

/** A listing whose rows only its own functions read. */
export type AnyListing = Listing<unknown>;

export function listing<Row>(one: Listing<Row>): AnyListing {
  return one as unknown as AnyListing;
}

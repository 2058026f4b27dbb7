import { addOnRollouts } from '@outrigger/api';
import { isApiError } from '@outrigger/core';
import type { Agenda, MemoryApi } from '../engine/index.js';

/** The number of a record format that no version of the manager knows. */
const LATER_FORMAT = 9;
const ACTOR = { name: 'later manager' };

/** Simulates a manager of a later version, which writes records in a format of its own while it leads. */
export class LaterManager {
  readonly #api: MemoryApi;
  readonly #agenda: Agenda;
  /** The formats that the records had before, by uid. */
  readonly #formats = new Map<string, number>();
  #term = 0;

  constructor(api: MemoryApi, agenda: Agenda) {
    this.#api = api;
    this.#agenda = agenda;
  }

  /** Leads for some time. If it leads already, the new time counts. */
  lead(forMs: number): void {
    for (const { metadata, status } of this.#api.list(addOnRollouts)) {
      const format = status?.formatVersion;
      if (format === undefined || format === LATER_FORMAT) continue;
      this.#formats.set(metadata.uid ?? '', format);
      this.#write(metadata.name ?? '', LATER_FORMAT);
    }
    const term = ++this.#term;
    this.#agenda.after(forMs, () => {
      if (term === this.#term) this.end();
    });
  }

  /** Writes the formats back. */
  end(): void {
    for (const { metadata, status } of this.#api.list(addOnRollouts)) {
      const format = this.#formats.get(metadata.uid ?? '');
      if (status?.formatVersion === LATER_FORMAT && format !== undefined) this.#write(metadata.name ?? '', format);
    }
    this.#formats.clear();
  }

  #write(name: string, formatVersion: number): void {
    try {
      this.#api.patch(ACTOR, addOnRollouts, { name }, { status: { formatVersion } }, { subresource: 'status' });
    } catch (error) {
      if (!isApiError(error)) throw error;
    }
  }
}

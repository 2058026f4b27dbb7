import type { OfferedAction } from '@outrigger/console-contract';
import { createStore, type Store } from '../data/store.js';

/** A confirmation dialog for actions that the user is about to send. */
export interface Question {
  readonly title: string;
  readonly says: string;
  readonly offers: readonly OfferedAction[];
  readonly button: string;
}

/** The open confirmation dialog. It stays open even if a page update removes the button that opened it. */
export const asking: Store<Question | undefined> = createStore<Question | undefined>(undefined);

export function askAbout(offer: OfferedAction): void {
  const { label, action, question } = offer;
  asking.set({
    title: 'addOn' in action ? `${label}: ${action.addOn}` : label,
    says: question ?? 'This is the equivalent command:',
    offers: [offer],
    button: label,
  });
}

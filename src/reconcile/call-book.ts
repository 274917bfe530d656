import type { CallOutcome } from '../domain/own-call.ts';
import { type EndedCall, saveCallOutcomes, type WrittenChange } from '../store/audit/own-calls.ts';
import type { Db } from '../store/store.ts';
import type { UpstreamError } from '../upstream/errors.ts';

/** Record of the ledger's calls and of their outcomes, until these are stored. */
export interface CallBook {
  /** Notes an attempt that is about to leave, by its rows of the ledger. */
  sent(written: readonly WrittenChange[]): void;
  /** Notes the end of the open attempt; undefined means success. An attempt that is not in the ledger is left out. */
  ended(error: UpstreamError | undefined): void;
  /** Notes that the open attempt did not leave, because something else is wanted by now. */
  dropped(): void;
  isEmpty(): boolean;
  /** Stores all notes that the ledger does not presume; storing them twice is the same. @throws StoreError */
  save(tx: Db): Promise<void>;
}

/**
 * Creates an empty record, for calls that follow one another. `presumed`: the outcome that the ledger already gives
 * them, so that it is not stored again.
 */
export function createCallBook(presumed?: CallOutcome): CallBook {
  let open: readonly number[] = [];
  const ended: EndedCall[] = [];
  return {
    sent(written) {
      open = written.map(({ id }) => id);
    },
    ended(error) {
      const end = toOutcome(error);
      if (open.length > 0 && end.outcome !== presumed) ended.push({ ids: open, ...end });
      open = [];
    },
    dropped() {
      if (open.length > 0) ended.push({ ids: open, outcome: 'not-sent', error: 'overtaken' });
      open = [];
    },
    isEmpty: () => ended.length === 0,
    save: (tx) => saveCallOutcomes(tx, ended),
  };
}

function toOutcome(error: UpstreamError | undefined): Omit<EndedCall, 'ids'> {
  if (error === undefined) return { outcome: 'done', error: null };
  const outcomes = { answered: 'refused', unknown: 'unknown', 'not-sent': 'not-sent' } as const;
  const outcome: CallOutcome = outcomes[error.outcome];
  // The status is what the service itself said.
  const status = error.status === undefined ? '' : ` ${error.status}`;
  return { outcome, error: `${error.code}${status}` };
}

import { type EndedCall, saveCallOutcomes, type WrittenChange } from '../store/audit/own-calls.ts';
import type { CallOutcome } from '../store/schema.ts';
import type { Db } from '../store/store.ts';
import type { UpstreamError } from '../upstream/errors.ts';

/** Record of the ledger's calls and of their outcomes, until these are stored. */
export interface CallOutcomes {
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
export function createCallOutcomes(presumed?: CallOutcome): CallOutcomes {
  let open: readonly WrittenChange[] = [];
  const ended: EndedCall[] = [];

  function note(outcome: CallOutcome, error: string | null): void {
    if (open.length > 0) ended.push({ ids: open.map(({ id }) => id), outcome, error });
  }

  return {
    sent(written) {
      open = written;
    },
    ended(error) {
      const outcome = error === undefined ? 'done' : OUTCOMES[error.outcome];
      if (outcome !== presumed) note(outcome, error === undefined ? null : toErrorText(error));
      open = [];
    },
    dropped() {
      note('not-sent', 'overtaken');
      open = [];
    },
    isEmpty: () => ended.length === 0,
    save: (tx) => saveCallOutcomes(tx, ended),
  };
}

const OUTCOMES = { answered: 'refused', unknown: 'unknown', 'not-sent': 'not-sent' } as const;

/** The code of an error, with the status where the service itself said one. */
function toErrorText({ code, status }: UpstreamError): string {
  return status === undefined ? code : `${code} ${status}`;
}

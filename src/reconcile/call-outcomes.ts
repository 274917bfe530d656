import type { EndedCall, WrittenChange } from '../store/audit/own-calls.ts';
import type { UpstreamError } from '../upstream/errors.ts';

/** Record of the ledger's calls and of their outcomes, until these are stored. */
export interface CallOutcomes {
  /** Rows of the ledger of the attempt that is about to leave or on its way; none: it is not in the ledger. */
  open: readonly WrittenChange[];
  /** Ends to be stored (`saveCallOutcomes`); storing them twice is the same. */
  readonly notes: readonly EndedCall[];
  /** Notes the end of the open attempt; undefined means success. An attempt that is not in the ledger is left out. */
  ended(error: UpstreamError | undefined): void;
}

/** Creates an empty record, for calls that follow one another. */
export function createCallOutcomes(): CallOutcomes {
  const notes: EndedCall[] = [];
  const calls: CallOutcomes = {
    open: [],
    notes,
    ended(error) {
      const outcome = error === undefined ? 'done' : OUTCOMES[error.outcome];
      const ids = calls.open.map(({ id }) => id);
      calls.open = [];
      if (ids.length === 0) return;
      notes.push({ ids, outcome, error: error === undefined ? null : toErrorText(error) });
    },
  };
  return calls;
}

const OUTCOMES = { answered: 'refused', unknown: 'unknown', 'not-sent': 'not-sent' } as const;

/** The code of an error, with the status where the service itself said one. */
function toErrorText({ code, status }: UpstreamError): string {
  return status === undefined ? code : `${code} ${status}`;
}

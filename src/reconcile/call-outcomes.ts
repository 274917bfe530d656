import { isDeepStrictEqual } from 'node:util';
import type { EndedCall, WrittenChange } from '../store/audit/own-calls.ts';
import type { CallOutcome } from '../store/schema.ts';
import type { UpstreamError } from '../upstream/errors.ts';
import type { Sending } from '../upstream/transport-options.ts';

/** Call that was written down with a write, before its turn came. */
export interface BegunCall {
  readonly call: Pick<Sending, 'operation' | 'args'>;
  /** Its rows in the ledger. */
  readonly written: readonly WrittenChange[];
  /** When it was planned, by the clock of the process (milliseconds). */
  readonly atMs: number;
}

/** Time for which a call may leave as it was written down with its write, in milliseconds. */
const BEGUN_MS = 1_000;

/** Record of the ledger's calls and of their outcomes, until these are stored. */
export interface CallOutcomes {
  /** Rows of the ledger of the attempt that is about to leave or on its way; none: it is not in the ledger. */
  open: readonly WrittenChange[];
  /** Ends that the ledger does not presume, to be stored (`saveCallOutcomes`); storing them twice is the same. */
  readonly notes: readonly EndedCall[];
  /** Notes the end of the open attempt; undefined means success. An attempt that is not in the ledger is left out. */
  ended(error: UpstreamError | undefined): void;
  /** Opens the begun call for the call that it was written down for; false: there is none, or that was too long ago. */
  leavesAsBegun(leaving: BegunCall['call']): boolean;
  /** Notes that the begun call does not leave, because something else is wanted by now; true when it was to leave. */
  drop(): boolean;
}

/**
 * Creates an empty record, for calls that follow one another. `presumed`: the outcome that the ledger already gives
 * them, so that it is not stored again. `begun`: the call that is to leave first.
 */
export function createCallOutcomes(presumed?: CallOutcome, begun?: BegunCall): CallOutcomes {
  const notes: EndedCall[] = [];
  let unused = begun;

  function note(outcome: CallOutcome, error: string | null): void {
    const ids = calls.open.map(({ id }) => id);
    if (ids.length > 0) notes.push({ ids, outcome, error });
  }

  const calls: CallOutcomes = {
    open: [],
    notes,
    ended(error) {
      const outcome = error === undefined ? 'done' : OUTCOMES[error.outcome];
      if (outcome !== presumed) note(outcome, error === undefined ? null : toErrorText(error));
      calls.open = [];
    },
    leavesAsBegun(leaving) {
      if (unused === undefined || performance.now() - unused.atMs > BEGUN_MS) return false;
      const { call, written } = unused;
      const isSame = call.operation === leaving.operation;
      if (!isSame || !isDeepStrictEqual(call.args, leaving.args)) return false;
      calls.open = written;
      unused = undefined;
      return true;
    },
    drop() {
      if (unused === undefined) return false;
      calls.open = unused.written;
      note('not-sent', 'overtaken');
      calls.open = [];
      unused = undefined;
      return true;
    },
  };
  return calls;
}

const OUTCOMES = { answered: 'refused', unknown: 'unknown', 'not-sent': 'not-sent' } as const;

/** The code of an error, with the status where the service itself said one. */
function toErrorText({ code, status }: UpstreamError): string {
  return status === undefined ? code : `${code} ${status}`;
}

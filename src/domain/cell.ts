import { isDeepStrictEqual } from 'node:util';
import { normaliseName } from './name.ts';
import type { JsonValue, Refusal } from './values.ts';
import { parseFields } from './values.ts';

/** A change that the service does not hold yet: of one owned field, or of one user in a list of a group. */
export interface Fact {
  /** Version of the last write that the service does not hold yet. Absent: a difference is drift, and is not touched. */
  readonly pending?: number | undefined;
  /** Failure of an acknowledged write; only of what waits. */
  readonly failure?: Failure | undefined;
  /** Version of the write whose call left and may still take effect, until `unsure_until` of the row. */
  readonly sent?: number | undefined;
}

/** Fact of one owned field. A field that was never asked for mostly has no cell. */
export interface Cell extends Fact {
  /** Origin of a value that no provider sent. It speaks of exactly this value: another one is a provider's. */
  readonly source?: Source | undefined;
  /** Value as it was sent and as it came back, where the service normalises. */
  readonly echo?: Echo | undefined;
}

/** `sent` of a field that no look shows: it is sent once more, whatever is known of it. */
export const SENT_AGAIN = -1;

/** Value that a rule gave, or that the service held at the takeover. */
export interface Source {
  readonly value: number | boolean | string;
  readonly by: 'rule' | 'service';
}

/** Value as sent and as it came back: a later observation equal to `back` is no difference. */
export interface Echo {
  readonly sent: string;
  readonly back: string;
}

/** Keeps what came back beside what was sent, where the service wrote it differently. */
export const toEcho = (sent: string, back: string): { readonly echo?: Echo } =>
  sent === back ? {} : { echo: { sent, back } };

/** Failure of a write that the service refused, or did not make although it was asked to. */
export interface Failure {
  /** The write that was refused or not made: a later one is tried at once. */
  readonly version: number;
  /** Time since which the field is stuck (epoch milliseconds); null: not yet, it is tried again soon. */
  readonly since: number | null;
  /** Time of the next attempt (epoch milliseconds). */
  readonly retryAt: number;
  readonly problem: Refusal;
  /** Attempts at this write that failed in a row; of an outage the first alone counts. Absent: the service refused it. */
  readonly attempts?: number;
  /** Time since which it waits for a free seat of the service (epoch milliseconds); absent: it waits for none. */
  readonly seatSince?: number;
}

/** Cells of a user or group. A field that is absent neither waits nor failed, and its value is a provider's. */
export type Cells<Field extends string> = { readonly [F in Field]?: Cell };

/** The parts of a cell in the order in which they are stored; `waits` searches that text. Undefined: nothing is kept. */
function toCell({ pending, source, echo, failure, sent }: Cell): Cell | undefined {
  const waiting = pending === undefined ? {} : { pending, ...(failure && { failure }) };
  const known = { ...(source && { source }), ...(echo && { echo }) };
  const cell = { ...waiting, ...known, ...(sent !== undefined && { sent }) };
  return Object.keys(cell).length === 0 ? undefined : cell;
}

/** Changes these cells; every other one stays. */
export function edit<Field extends string>(
  cells: Cells<Field>,
  fields: Iterable<Field>,
  toNext: (cell: Cell, field: Field) => Cell,
): Cells<Field> {
  const next: { [F in Field]?: Cell } = { ...cells };
  for (const field of fields) {
    const cell = toCell(toNext(next[field] ?? {}, field));
    if (cell === undefined) delete next[field];
    else next[field] = cell;
  }
  return next;
}

const listWhere = <F extends string>(cells: Cells<F>, isMeant: (cell: Cell) => boolean) =>
  parseFields(cells).filter((field) => isMeant(cells[field] ?? {}));

/** Asks for fields: they wait for the write of `version`. */
export const ask = <F extends string>(cells: Cells<F>, fields: Iterable<F>, version: number) =>
  edit(cells, fields, (cell) => ({ ...cell, pending: version }));

/** Has a change wait since `version` unless it waits already. */
export const claim = <F extends Fact>(fact: F, version: number): F =>
  isWaiting(fact) ? fact : { ...fact, pending: version };

/** Asks for those of these fields that do not wait. */
export const askAgain = <F extends string>(cells: Cells<F>, fields: Iterable<F>, version: number) =>
  edit(cells, fields, (cell) => claim(cell, version));

/** Asks for these fields alone: nothing else waits any more. */
export const askOnly = <F extends string>(cells: Cells<F>, fields: readonly F[], version: number) =>
  ask(onlyWaiting(cells, fields), fields, version);

/** Ends the waiting of all but these fields. */
export const onlyWaiting = <F extends string>(cells: Cells<F>, fields: readonly F[]) =>
  edit(
    cells,
    parseFields(cells).filter((field) => !fields.includes(field)),
    (cell) => ({ ...cell, pending: undefined }),
  );

/** Ends the waiting of fields that the service holds, unless a newer write than that of `planned` waits. */
export function done<F extends string>(
  cells: Cells<F>,
  planned: Cells<F>,
  fields: Iterable<F>,
): Cells<F> {
  return edit(cells, fields, (cell, field) => {
    if (cell.pending !== planned[field]?.pending) return cell;
    const sent = cell.sent === SENT_AGAIN ? undefined : toSentAfter(cell);
    return { ...cell, pending: undefined, sent };
  });
}

/** `sent` once the service holds what waited: a lost call for an earlier write may still undo it. */
export const toSentAfter = ({ sent, pending }: Fact) =>
  sent === undefined || sent === pending ? sent : OF_OTHER;

/** Lets go of fields that nobody wants any more: they are not ours. */
export const release = <F extends string>(cells: Cells<F>, fields: Iterable<F>) =>
  edit(cells, fields, () => ({}));

/** Keeps a value as it was sent and as it came back. */
export const withEcho = <F extends string>(cells: Cells<F>, field: F, echo: Echo) =>
  edit(cells, [field], (cell) => ({ ...cell, echo }));

/** Forgets all but what waits or was sent: sources, echoes and failures hold words and values. */
export const onlyPending = <F extends string>(cells: Cells<F>) =>
  edit(cells, parseFields(cells), ({ pending, sent }) => ({ pending, sent }));

/** True when the same fields wait, for the same writes. */
export const isSameWork = (a: Cells<string>, b: Cells<string>) =>
  isDeepStrictEqual(onlyPending(a), onlyPending(b));

/** `sent` of a call for an earlier resource or write, or for none that is known: no write waits for this version. */
export const OF_OTHER = 0;

/** Forgets all but what came back and what was sent, for another resource that gets what the service holds. */
export const onlyEchoes = <F extends string>(cells: Cells<F>) =>
  edit(cells, parseFields(cells), ({ echo, sent }) => ({ echo, sent: sent && OF_OTHER }));

/** True when the service holds the wanted value, in its own words too. Texts are compared as names are. */
export function holds(cell: Cell | undefined, wanted: JsonValue, seen: JsonValue | undefined) {
  const [sent, back] = [wanted, seen].map((one) =>
    typeof one === 'string' ? normaliseName(one) : one,
  );
  const echo = cell?.echo;
  return sent === back || (echo !== undefined && echo.sent === sent && echo.back === back);
}

/** True for a change that waits. */
export const isWaiting = (fact: Fact | undefined) => fact?.pending !== undefined;

/** The fields that wait. */
export const listWaiting = <F extends string>(cells: Cells<F>) => listWhere(cells, isWaiting);

/** The fields of which a call may still take effect. */
export const listSent = <F extends string>(cells: Cells<F>) =>
  listWhere(cells, ({ sent }) => sent !== undefined);

/** Fields written since a call of unknown outcome: seeing their values does not prove that they stay. */
export const listUnsure = <F extends string>(cells: Cells<F>) =>
  listWhere(
    cells,
    ({ pending, sent }) => sent !== undefined && pending !== undefined && sent !== pending,
  );

/** True when a lost call may still change a field from what is wanted. */
export const hasDoubt = (cells: Cells<string>) =>
  listWhere(
    cells,
    ({ pending, sent }) => sent === OF_OTHER || (sent !== undefined && pending !== undefined),
  ).length > 0;

/** Notes that a call for it leaves; one that left before and has no known outcome stays noted. */
export const markSent = <F extends Fact>(fact: F): F => ({
  ...fact,
  sent: fact.sent ?? fact.pending,
});

/** Forgets that calls for these fields left: they cannot take effect any more. */
export const forgetSent = <F extends string>(cells: Cells<F>, fields: Iterable<F>) =>
  edit(cells, fields, (cell) => ({ ...cell, sent: undefined }));

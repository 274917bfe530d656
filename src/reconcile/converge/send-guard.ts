import { isDeepStrictEqual } from 'node:util';
import { edit, forgetSent, isWaiting, markSent } from '../../domain/cell.ts';
import type { SentCreate } from '../../domain/kinds.ts';
import type { LinkKey } from '../../domain/link.ts';
import { BridgeError, keyText } from '../../domain/values.ts';
import type { Field } from '../../plan/step.ts';
import { listFields, listLinks, listParts } from '../../plan/step.ts';
import { changeNamed } from '../../store/links/links.ts';
import { insertOwnCall } from '../../store/logs.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { lockRow, updateRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { Row } from '../../store/tables.ts';
import { updateWhere } from '../../store/tables.ts';
import type { UpstreamError } from '../../upstream/errors.ts';
import type { Transport } from '../../upstream/transport.ts';
import { withOptions } from '../../upstream/transport.ts';
import type { CallOptions, Sending } from '../../upstream/transport-options.ts';
import type { ReconcileDeps } from '../deps.ts';
import type { Again, Outcome } from '../outcome.ts';
import { assertWithinLimit, holdRemovals, TooMuchHarm } from '../plans.ts';
import type { PlannedStep } from './step.ts';
import { findCreate, listChanges } from './step.ts';

/** What the row held before a call left, and what was noted for the case of a crash. */
interface Noted extends Pick<ResourceRow, 'must_look' | 'unsure_until' | 'sent_creates'> {
  /** `must_look` and `due_at` since then. */
  readonly ticket: number;
  readonly due_at: number;
  /** Fields and links that were marked as sent. */
  readonly fields: readonly Field[];
  readonly links: readonly LinkKey[];
}

type EndedCall = Pick<Row<'own_calls'>, 'outcome' | 'error'> & { readonly ids: readonly number[] };

/**
 * Guard of the calls of a step. Just before a call leaves, one transaction checks that its plan still holds, writes the
 * call into the ledger, and notes a look for the case of a crash.
 */
export class SendGuard {
  /** Way to the service that asks the guard immediately before each attempt of each call. */
  readonly upstream: Transport;
  readonly planned: PlannedStep;
  /** True when a call was skipped because the plan does not hold any more. */
  isOvertaken = false;
  readonly #deps: ReconcileDeps;
  readonly #create: SentCreate | undefined;
  /** Rows of the ledger of the attempt that is on its way. */
  #open: readonly number[] = [];
  /** True when the service may still be at work on an attempt. */
  #isLost = false;
  /** Ends of calls in the ledger, to be stored. */
  readonly #ends: EndedCall[] = [];
  #noted: Noted | undefined;

  /** @param again true when the step before it was skipped: this one takes its place in the queue */
  constructor(deps: ReconcileDeps, planned: PlannedStep, again: boolean) {
    this.#deps = deps;
    this.#create = findCreate(planned);
    this.planned = planned;
    let takesPlace = again;
    this.upstream = withOptions(deps.upstream, (options: CallOptions = {}) => {
      const beforeSend = async ({ operation }: Sending) => {
        if (operation.method !== 'GET') await this.#assertMayLeave(operation.id);
      };
      const afterSend = (error: UpstreamError | undefined) => this.#noteEnd(error);
      const call = { ...options, again: takesPlace, beforeSend, afterSend };
      takesPlace = false;
      return call;
    });
  }

  /** Stores how the calls of this step ended; says the same however often it is called. @throws StoreError */
  async saveOutcomes(tx: Db): Promise<void> {
    for (const { ids: id, ...end } of this.#ends) await updateWhere(tx, 'own_calls', { id }, end);
  }

  /** True when another look was asked for since the plan. */
  isStale({ must_look }: ResourceRow): boolean {
    return must_look !== (this.#noted?.ticket ?? this.planned.row.must_look);
  }

  /** True when an attempt was asked for since the plan: the next one does not wait. */
  isRetried({ due_at }: ResourceRow): boolean {
    return due_at !== (this.#noted ?? this.planned.row).due_at;
  }

  /** The row without what was noted before the calls left, as far as they cannot take effect any more. */
  async restore(tx: Db, row: ResourceRow, outcome: Outcome | Again): Promise<ResourceRow> {
    if (this.#noted === undefined) return row;
    const { must_look, ticket, unsure_until, sent_creates, fields, links } = this.#noted;
    const isOpen = outcome.kind === 'unknown';
    const isLost = this.#isLost && !isOpen;
    const isAnswered = !isLost && !isOpen && outcome.kind !== 'done';
    const next = {
      ...row,
      must_look: row.must_look === ticket && !isOpen ? must_look : row.must_look,
      sent_creates: isAnswered ? sent_creates : row.sent_creates,
    };
    if (isLost || (isOpen && isUnheard(outcome.problem.status))) return next;
    await changeNamed(tx, row, links, (link) => ({ ...link, sent: undefined }));
    const cells = forgetSent(row.cells, fields);
    // The doubt about an earlier call ends when it would have; where that was made again, it has no end yet.
    const until = (isOpen ? null : unsure_until) ?? row.unsure_until;
    return { ...next, cells, unsure_until: until };
  }

  /** Notes the end of the attempt in the ledger; undefined means success. */
  #noteEnd(error: UpstreamError | undefined): void {
    const ids = this.#open;
    this.#open = [];
    const outcome = error === undefined ? 'done' : OUTCOMES[error.outcome];
    this.#isLost ||= outcome === 'unknown' && isUnheard(error?.status);
    if (ids.length > 0) this.#ends.push({ ids, outcome, error: error ? toErrorText(error) : null });
  }

  /** @throws BridgeError `overtaken` when the step is to be planned anew: it was written since, or its removals are held */
  async #assertMayLeave(operation: string): Promise<void> {
    const { row, action } = this.planned;
    try {
      const left = await this.#deps.store.write((tx) => this.#writeDown(tx, operation));
      if (left !== undefined) {
        this.#open = left.ids;
        this.#noted = left.noted;
        return;
      }
    } catch (error) {
      const isLimit = error instanceof TooMuchHarm && action !== undefined;
      if (!isLimit || !(await holdRemovals(this.#deps, { row, action }, error))) throw error;
    }
    this.isOvertaken = true;
    throw new BridgeError('overtaken', `${keyText(row)} was written since this step was planned`);
  }

  /** Writes a call into the ledger, and what a crash is to leave; undefined: the plan does not hold. @throws TooMuchHarm */
  async #writeDown(tx: Db, operation: string) {
    const row: ResourceRow | undefined = await lockRow(tx, this.planned.row);
    if (row?.version !== this.planned.row.version || this.isStale(row)) return undefined;
    // A repeated call is written down again, so the attempts before it have to be recorded by then.
    await this.saveOutcomes(tx);
    const at = this.#deps.clock.now();
    const written = await insertOwnCall(tx, { at, operation, key: row }, listChanges(this.planned));
    await assertWithinLimit(tx, this.#deps, written);
    const noted = this.#noted ?? (await this.#mark(tx, row, at));
    const lateMs = this.#create === undefined ? 0 : LATE_CREATE_MS[row.type];
    const until = at + Math.max(lateMs, this.#deps.policy.callMs);
    await updateRow(tx, row, {
      cells: edit(row.cells, noted.fields, markSent),
      must_look: noted.ticket,
      unsure_until: Math.max(row.unsure_until ?? 0, until),
      due_at: Math.min(row.due_at ?? at, at),
      ...(this.#create && { sent_creates: addCreate(row.sent_creates, this.#create) }),
    });
    return { ids: written.map(({ id }) => id), noted };
  }

  async #mark(tx: Db, row: ResourceRow, at: number): Promise<Noted> {
    const { action } = this.planned;
    // The account that a create may leave is looked for by its names; names of groups are not unique.
    const isUserCreate = row.type === 'user' && this.#create !== undefined;
    const parts = action && !isUserCreate ? listParts(action) : [];
    const fields = listFields(parts).filter(
      (field) => isWaiting(row.cells[field]) && row.cells[field]?.sent === undefined,
    );
    const links = await changeNamed(tx, row, listLinks(parts), (link) =>
      link.sent === undefined && isWaiting(link) ? markSent(link) : link,
    );
    const { must_look, unsure_until, sent_creates } = row;
    const due_at = Math.min(row.due_at ?? at, at);
    return { must_look, unsure_until, sent_creates, ticket: must_look + 1, due_at, fields, links };
  }
}

/** Time after which a create has no effect any more, in milliseconds. A group is not made again before. */
export const LATE_CREATE_MS = { user: 5 * 60_000, group: 60_000 } as const;
/** Statuses of a gateway that did not hear from the service. */
const UNHEARD: ReadonlySet<number | undefined> = new Set([502, 504]);

/** True when the service may still be at work on a call: it has answered nothing, or what it showed before. */
function isUnheard(status: number | undefined): boolean {
  return status === undefined || UNHEARD.has(status);
}

function addCreate(earlier: readonly SentCreate[], create: SentCreate) {
  if (earlier.some((one) => isDeepStrictEqual(one, create))) return earlier;
  return [...earlier, create];
}

const OUTCOMES = { answered: 'refused', unknown: 'unknown', 'not-sent': 'not-sent' } as const;

function toErrorText({ code, status }: UpstreamError): string {
  return status === undefined ? code : `${code} ${status}`;
}

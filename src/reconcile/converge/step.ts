import { isDeepStrictEqual } from 'node:util';
import { edit, forgetSent, hasDoubt, isWaiting, markSent } from '../../domain/cell.ts';
import type { SentChange } from '../../domain/change.ts';
import type { SentCreate, State } from '../../domain/kinds.ts';
import { isLinked, toSentUser } from '../../domain/kinds.ts';
import type { LinkChange, LinkKey } from '../../domain/link.ts';
import { toLinkText } from '../../domain/link.ts';
import type { ResourceKey } from '../../domain/values.ts';
import { BridgeError, keyText } from '../../domain/values.ts';
import { plan, toPlannable } from '../../plan/plan.ts';
import type { Field, Part, Step } from '../../plan/step.ts';
import { listFields, listLinks, listParts, toChanges, toValues } from '../../plan/step.ts';
import { findTerms } from '../../store/credentials.ts';
import {
  changeNamed,
  hasLink,
  listLinks as listStoredLinks,
  listWaitingLinks,
} from '../../store/links/links.ts';
import { insertOwnCall } from '../../store/logs.ts';
import { isLeaving } from '../../store/resources/backlog.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { findRow, lockRow, updateRow } from '../../store/resources/rows.ts';
import { toState, toUserState } from '../../store/resources/state.ts';
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
import { isOut, isToBeProven } from '../user/account.ts';

/** The field of a user or group that says that it is there. */
export const EXISTENCE = { user: 'account', group: 'existence' } as const;

/** The next step of a user or group. */
export interface PlannedStep {
  readonly row: ResourceRow;
  /** What is known of it, without what may not be changed yet. */
  readonly state: State;
  /** undefined: nothing is to be done. */
  readonly action: Step | undefined;
  /** When it was planned (epoch milliseconds). */
  readonly at: number;
}

type PlanDeps = Pick<ReconcileDeps, 'policy' | 'quirks' | 'clock'>;

/** Reads a user or group and plans its next step; undefined: it is gone. What a create may have left is looked for first. */
export async function readStep(
  deps: PlanDeps & Pick<ReconcileDeps, 'store'>,
  key: ResourceKey,
): Promise<PlannedStep | undefined> {
  const db = deps.store.read;
  const row: ResourceRow | undefined = await findRow(db, key);
  return row && planStep(db, deps, { row, links: await readLinks(db, deps, row), isFirst: true });
}

/** Reads the waiting changes of a group's lists for one plan: as many as two calls can carry. A user has none. */
export async function readLinks(
  db: Db,
  deps: PlanDeps,
  row: ResourceRow,
): Promise<readonly LinkChange[]> {
  if (row.type === 'user') return [];
  const limit = Math.max(toPolicy(deps).membersPerCall * 2, LINKS_MIN);
  const inactiveWait = deps.quirks.current().inactiveMembers === false;
  return listWaitingLinks(db, row, { limit, now: deps.clock.now(), inactiveWait });
}

/** Waiting changes of members and admins that a step is planned from, at least. */
const LINKS_MIN = 100;

/**
 * Plans the next step: a stuck change is hidden until its next attempt, and every change while the provider is not live.
 * In the first step of a run what a create may have left is looked for, and who is to be proven out.
 */
export async function planStep(
  db: Db,
  deps: PlanDeps,
  { row, links, isFirst }: { row: ResourceRow; links: readonly LinkChange[]; isFirst?: true },
): Promise<PlannedStep> {
  const at = deps.clock.now();
  const known = toPlannable({ ...toState(row, links), mustLook: isLookDue(row, at) }, at);
  const { type, deleted_at, sent_creates, cells } = known;
  const mayBeThere = sent_creates.length > 0 && isWaiting(cells[EXISTENCE[type]]);
  const isLost = mayBeThere && !(type === 'group' && deleted_at !== null);
  const isLookedFor = isFirst === true && (isLost || isToBeProven(row));
  const state = { ...known, mustLook: known.mustLook || isLookedFor };
  const planned = { row, state, action: plan(state, toPolicy(deps)).step, at };
  if (listChanges(planned).length === 0) return planned;
  const { mode } = await findTerms(db, row.provider);
  return mode === 'live' ? planned : { ...planned, action: undefined };
}

/** Time from the answer of the service that a user is out until a look proves it, in milliseconds. */
const PROOF_MS = 5_000;

/** The row after a run: a look is due that proves a leaver out; who is wanted in again, or has no account, does not leave. */
export function followLeaver(row: ResourceRow, isLookRefused: boolean, now: number) {
  if (row.type === 'group' || !isLeaving(row)) return row;
  const mayHaveAccount = isLinked(row) || row.sent_creates.length > 0;
  if (!mayHaveAccount || !isOut(toUserState(row).desired)) return { ...row, left_at: null };
  const isUnproven = row.due_at === null && !isLookRefused && isToBeProven(row);
  return isUnproven ? { ...row, due_at: now + PROOF_MS, due_class: 2 as const } : row;
}

/** Lists the fields that wait and need no call, because they hold already. */
export function listDone(
  deps: PlanDeps,
  row: ResourceRow,
  links: readonly LinkChange[],
): readonly Field[] {
  const isDue = isLookDue(row, deps.clock.now());
  return isDue ? [] : plan(toState(row, links), toPolicy(deps)).done;
}

/** True where a look comes before anything else: it was asked for, or lost calls cannot take effect any more. */
function isLookDue({ must_look, unsure_until }: ResourceRow, now: number): boolean {
  return must_look !== 0 || (unsure_until !== null && unsure_until <= now);
}

/** What plans follow. Batches are planned only while the service is not known to refuse them. */
function toPolicy({ policy, quirks }: Pick<PlanDeps, 'policy' | 'quirks'>) {
  const { membersPerCall: largest } = policy;
  const { addressMayChange = true, memberForm, membersPerCall = largest } = quirks.current();
  const many = memberForm === 'single' ? 1 : Math.min(membersPerCall, largest);
  return { ...policy, addressMayChange, membersPerCall: many };
}

/** Lists the changes that the calls of a step make, under the id that they use; none: it looks. */
function listChanges({ state, action }: PlannedStep): SentChange[] {
  if (action === undefined) return [];
  const { type, upstream_id, upstream_uid, upstream_scim_id } = state;
  const id = type === 'user' ? upstream_id?.toString() : (upstream_uid ?? upstream_scim_id);
  return toChanges(type, action, id ?? undefined);
}

/** Name of a step in the log and in traces: the kinds of its changes; undefined: nothing is to be done. */
export function toName(step: PlannedStep): string | undefined {
  if (step.action === undefined) return undefined;
  const kinds = listChanges(step).map(({ kind }) => kind);
  return kinds.length === 0 ? 'look' : [...new Set(kinds)].join(', ');
}

/** Lists the parts that no later write has changed since the plan: of others the service was never asked for the new value. */
export async function listStillPlanned(
  { tx, step, row }: { readonly tx: Db; readonly step: PlannedStep; readonly row: ResourceRow },
  parts: readonly Part[],
): Promise<Part[]> {
  const userIds = listLinks(parts).map(({ userId }) => userId);
  const stored = await listStoredLinks(tx, row, { userIds });
  const waiting = new Map(stored.map((link) => [toLinkText(link), link.pending]));
  return parts.filter((part) =>
    typeof part === 'string'
      ? row.cells[part]?.pending === step.state.cells[part]?.pending
      : waiting.get(toLinkText(part)) === part.pending,
  );
}

/** The row before the first call left, and what was marked as sent for the case of a crash. */
interface Noted {
  readonly before: ResourceRow;
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
  /** Names by which the service would know what the step creates; undefined: it creates nothing. */
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
    if (planned.action?.kind === 'create') {
      const { userName, address, displayName = '' } = toValues(planned.action);
      this.#create =
        userName === undefined ? { name: displayName } : toSentUser({ userName, address });
    }
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
    return must_look !== this.#ticket;
  }

  /** `must_look` since the first call left, or was to leave. */
  get #ticket(): number {
    return this.#noted ? this.#noted.before.must_look + 1 : this.planned.row.must_look;
  }

  /** The row without what was noted before the calls left, as far as they cannot take effect any more. */
  async restore(tx: Db, row: ResourceRow, outcome: Outcome | Again): Promise<ResourceRow> {
    if (this.#noted === undefined) return row;
    const { before, fields, links } = this.#noted;
    const isOpen = outcome.kind === 'unknown';
    const isLost = this.#isLost && !isOpen;
    // What a conflict has shown was there before: the create made nothing.
    const isMade = outcome.kind === 'done' && !outcome.known.adopted;
    const isAnswered = !isLost && !isOpen && !isMade;
    const next = {
      ...row,
      must_look: this.isStale(row) || isOpen ? row.must_look : before.must_look,
      sent_creates: isAnswered ? before.sent_creates : row.sent_creates,
    };
    if (isLost || (isOpen && isUnheard(outcome.problem.status))) return next;
    await changeNamed(tx, row, links, (link) => ({ ...link, sent: undefined }));
    const cells = forgetSent(row.cells, fields);
    // The doubt about an earlier call ends when it would have; where that was made again, it has no end yet.
    const until = (isOpen ? null : before.unsure_until) ?? row.unsure_until;
    return { ...next, cells, unsure_until: until };
  }

  /** Notes the end of the attempt in the ledger; undefined means success. */
  #noteEnd(error: UpstreamError | undefined): void {
    const ids = this.#open;
    this.#open = [];
    const outcome = error === undefined ? 'done' : OUTCOMES[error.outcome];
    this.#isLost ||= outcome === 'unknown' && isUnheard(error?.status);
    const text = error && [error.code, error.status].join(' ').trim();
    if (ids.length > 0) this.#ends.push({ ids, outcome, error: text ?? null });
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
      if (!(error instanceof TooMuchHarm) || action === undefined) throw error;
      await holdRemovals(this.#deps, { row, action }, error);
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
    const noted = this.#noted ?? (await this.#mark(tx, row));
    const create = this.#create;
    const earlier = row.sent_creates.filter((one) => !isDeepStrictEqual(one, create));
    const lateMs = create === undefined ? 0 : LATE_CREATE_MS[row.type];
    const until = at + Math.max(lateMs, this.#deps.policy.callMs);
    await updateRow(tx, row, {
      cells: edit(row.cells, noted.fields, markSent),
      must_look: noted.before.must_look + 1,
      unsure_until: Math.max(row.unsure_until ?? 0, until),
      sent_creates: create && [...earlier, create],
    });
    return { ids: written.map(({ id }) => id), noted };
  }

  async #mark(tx: Db, row: ResourceRow): Promise<Noted> {
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
    return { before: row, fields, links };
  }
}

/** The row, in doubt only while a call that left may still change something from what is wanted. */
export async function withoutDoubt(tx: Db, row: ResourceRow): Promise<ResourceRow> {
  if (row.unsure_until === null || row.sent_creates.length > 0) return row;
  if (hasDoubt(row.cells) || (row.type === 'group' && (await hasLink(tx, row, 'doubted')))) {
    return row;
  }
  return { ...row, unsure_until: null };
}

/** Time after which a create has no effect any more, in milliseconds. A group is not made again before. */
export const LATE_CREATE_MS = { user: 5 * 60_000, group: 60_000 } as const;
/** True when the service may still be at work on a call: nothing has answered, or a gateway that did not hear from it. */
const isUnheard = (status: number | undefined) => [undefined, 502, 504].includes(status);

const OUTCOMES = { answered: 'refused', unknown: 'unknown', 'not-sent': 'not-sent' } as const;

import { askAgain } from '../../domain/cell.ts';
import { type UserId, userId } from '../../domain/ids.ts';
import type { LoggedRemoval } from '../../domain/leaver.ts';
import { createNews } from '../../domain/news.ts';
import type { UserField } from '../../domain/user.ts';
import {
  endLeaver,
  findRemovalCall,
  type LeaverEnd,
  type LeaverRow,
  listLeaversToLookAt,
  listUnlogged,
  listWaitingLeavers,
  type RemovalCall,
  saveLogged,
  saveRemains,
} from '../../store/audit/leavers.ts';
import { parseCells } from '../../store/engine/columns.ts';
import type { Db } from '../../store/store.ts';
import {
  findUserRow,
  listUserRows,
  lockUser,
  toUserState,
  type UserRow,
  updateUser,
} from '../../store/users/users.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { findLoggedRemoval } from '../audit/find-removal.ts';
import type { ReconcileDeps } from '../deps.ts';
import { isNotLeading } from '../lead.ts';
import { toStaleColumns } from '../retry-columns.ts';
import { judgeLeaver } from '../user/judge-leaver.ts';
import { openRemainsLooks } from '../user/look-at-remains.ts';

/** Longest time until the store is asked again, in milliseconds. */
const ASK_EVERY_MS = 30_000;
/** Time from the news that somebody is out until the store is asked, in milliseconds: many leave together. */
const GATHER_MS = 5_000;
/** Removals that are gone through at once. */
const PART = 100;
/** Parts of the waiting ones that are gone through in one round; the next goes on behind them. */
const PARTS_MAX = 10;
/** Time for which entries of the audit log are looked for, in milliseconds. */
const LOG_WITHIN_MS = 24 * 3_600_000;
/** Time until the look at what remains, in milliseconds: those who leave together share its calls. */
const LOOK_AFTER_MS = 60_000;
/** Time until a look that could not see everything is made again, and for which it is, in milliseconds. */
const LOOK_AGAIN_MS = 10 * 60_000;
const LOOK_WITHIN_MS = 24 * 3_600_000;
/** Share of the time that looks may take: the rest of the rate is for others. */
const LOOK_SHARE = 0.1;

/**
 * Creates what completes the proofs of those who left: what was seen, logged, and remains. All follows from what is stored,
 * so that a crash loses nothing.
 */
export function createLeaverProofs(deps: ReconcileDeps) {
  const { store, clock, events } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const looking = createLooking(deps, signal);
  let afterSeq = 0;
  const news = createNews(clock, signal);
  let running = Promise.resolve();
  let end = () => {};

  async function round(): Promise<void> {
    for (let part = 0; part < PARTS_MAX && !signal.aborted; part += 1) {
      const rows = await listWaitingLeavers(store.read, { afterSeq, limit: PART });
      const users = await listUserRows(store.read, [
        ...new Set(rows.map(({ user_id }) => userId(user_id))),
      ]);
      const byId = new Map<string, UserRow>(users.map((user) => [user.id, user]));
      await judgeAll(deps, rows, byId);
      afterSeq = rows.length < PART ? 0 : (rows.at(-1)?.seq ?? 0);
      if (afterSeq === 0) break;
    }
    await readLogged(deps);
    await looking();
  }

  async function run(): Promise<void> {
    for (;;) {
      await untilNews();
      if (signal.aborted) return;
      try {
        await round();
      } catch (error) {
        if (!signal.aborted && !isNotLeading(error))
          events.failed({ type: 'leavers', id: 'store', error });
      }
    }
  }

  async function untilNews(): Promise<void> {
    if (!(await news.rest(ASK_EVERY_MS))) return;
    await clock.sleep(GATHER_MS, signal).catch(() => undefined);
    // Who came meanwhile is seen by this round.
    await news.rest(0);
  }

  return {
    start() {
      end = store.bell.listen('left', news.tell);
      running = run();
    },
    async stop() {
      end();
      stopping.abort();
      await running;
    },
  };
}

/** Stores the ends of removals that what is observed shows, and what proves or repeats the others, in one transaction. */
async function judgeAll(
  deps: Pick<ReconcileDeps, 'store' | 'clock' | 'policy'>,
  leavers: readonly LeaverRow[],
  users: ReadonlyMap<string, UserRow>,
): Promise<void> {
  const verdicts: (readonly [leaver: LeaverRow, verdict: Exclude<Verdict, 'waits'>])[] = [];
  for (const leaver of leavers) {
    const verdict = await judge(deps, leaver, users.get(leaver.user_id));
    if (verdict !== 'waits') verdicts.push([leaver, verdict]);
  }
  if (verdicts.length === 0) return;
  const now = deps.clock.now();
  await deps.store.write(async (tx) => {
    for (const [{ seq, user_id }, verdict] of verdicts) {
      if (typeof verdict === 'string') await makeDue(tx, userId(user_id), { verdict, now });
      else await endLeaver(tx, seq, verdict);
    }
  });
  if (verdicts.every(([, verdict]) => typeof verdict !== 'string')) return;
  // What it shows is news of those who left.
  for (const what of ['due', 'left'] as const) deps.store.bell.ring(what);
}

/**
 * The end of a removal, or what is still to be done:
 * - `waits`: nothing, it is on its way
 * - `unproven`: only the answer to its call has shown it, and a service may answer and do nothing: a look
 * - `undone`: its call is done, and the account was seen to work after that: the call again
 */
type Verdict = LeaverEnd | 'waits' | 'unproven' | 'undone';

/** Has a user looked at, or deactivated again. */
async function makeDue(
  tx: Db,
  id: UserId,
  { verdict, now }: { readonly verdict: 'unproven' | 'undone'; readonly now: number },
): Promise<void> {
  const row = await lockUser(tx, id);
  if (row === undefined) return;
  if (verdict === 'unproven') return updateUser(tx, id, { ...toStaleColumns(now), due_class: 2 });
  const cells = askAgain(parseCells<UserField>(row), ['active'], row.version);
  await updateUser(tx, id, { cells: JSON.stringify(cells), due_at: now, due_class: 0 });
}

/** Finds the verdict about a removal. */
async function judge(
  { store, clock, policy }: Pick<ReconcileDeps, 'store' | 'clock' | 'policy'>,
  leaver: LeaverRow,
  row: UserRow | undefined,
): Promise<Verdict> {
  const judgement = judgeLeaver(leaver, row && toUserState(row), policy.deactivation);
  if (judgement.kind === 'waits') return 'waits';
  const call = await findRemovalCall(store.read, leaver);
  if (judgement.kind === 'in')
    return call?.outcome === 'done' && judgement.at > call.at ? 'undone' : 'waits';
  const seen = judgement.kind === 'out' ? judgement.seen : undefined;
  if (seen?.by === scim.updateUser.id) return 'unproven';
  const isOut = judgement.kind === 'out';
  const endedAt = Math.round(clock.now());
  const lookAt = isOut && isToLookAt(leaver, row) ? endedAt + LOOK_AFTER_MS : undefined;
  return { ...toEnd(isOut, call), seen, endedAt, lookAt };
}

function toEnd(isOut: boolean, call: RemovalCall | undefined) {
  const sent = call && isSent(call.outcome) ? call : undefined;
  return {
    status: isOut ? 'out' : call?.outcome === 'refused' ? 'refused' : 'withdrawn',
    sent: sent && { id: sent.id, at: sent.at, operation: sent.operation },
  } as const;
}

function isSent(outcome: string | null): boolean {
  return outcome !== 'refused' && outcome !== 'not-sent';
}

/** True where something may remain: a user who lost a licence works on, and one without an account has nothing. */
function isToLookAt({ kind }: LeaverRow, row: UserRow | undefined): boolean {
  return kind !== 'licence' && row !== undefined && row.upstream_id !== null;
}

/** Finds the entries of the audit log about those who are out. */
async function readLogged({ store, clock }: Pick<ReconcileDeps, 'store' | 'clock'>): Promise<void> {
  const since = clock.now() - LOG_WITHIN_MS;
  const found: (readonly [seq: number, logged: LoggedRemoval])[] = [];
  for (const leaver of await listUnlogged(store.read, { since, limit: PART })) {
    const logged =
      leaver.status === 'out'
        ? await findLoggedRemoval(store.read, leaver)
        : ({ kind: 'silent' } as const);
    if (logged !== undefined) found.push([leaver.seq, logged]);
  }
  if (found.length === 0) return;
  await store.write(async (tx) => {
    for (const [seq, logged] of found) await saveLogged(tx, seq, logged);
  });
}

/** Makes the function that looks what remains of those who are out, as far as its share of the time goes. */
function createLooking(deps: ReconcileDeps, signal: AbortSignal): () => Promise<void> {
  const { store, clock } = deps;
  let nextAt = 0;
  return async () => {
    const begin = clock.now();
    if (begin < nextAt) return;
    const due = await listLeaversToLookAt(store.read, { now: begin, limit: PART });
    if (due.length === 0) return;
    const look = openRemainsLooks(deps, signal);
    for (const leaver of due) if (!signal.aborted) await lookAt(deps, { leaver, look, signal });
    const end = clock.now();
    nextAt = end + (end - begin) * (1 / LOOK_SHARE - 1);
  };
}

interface Looking {
  readonly leaver: LeaverRow;
  readonly look: ReturnType<typeof openRemainsLooks>;
  readonly signal: AbortSignal;
}

/** Stores what remains of somebody; what could not be seen is looked at again for a day. */
async function lookAt(
  { store }: Pick<ReconcileDeps, 'store'>,
  { leaver, look, signal }: Looking,
): Promise<void> {
  const row = await findUserRow(store.read, leaver.user_id);
  const { remains, mayComplete } = await look(row && toUserState(row));
  // A look that the end of the process has cut off says nothing.
  if (signal.aborted) return;
  const isLate = remains.at > (leaver.ended_at ?? 0) + LOOK_WITHIN_MS;
  const lookAt = mayComplete && !isLate ? remains.at + LOOK_AGAIN_MS : undefined;
  await store.write((tx) => saveRemains(tx, leaver.seq, { remains, lookAt }));
}

import type { Access } from '../../access/access.ts';
import type { Attempts } from '../../access/attempts.ts';
import { listExpiring, opensScim } from '../../access/credentials.ts';
import type { HarmLimit } from '../../domain/change.ts';
import type { Clock } from '../../domain/clock.ts';
import { BridgeError } from '../../domain/values.ts';
import { POLL_STATE } from '../../reconcile/audit/poller.ts';
import type { SectionStates } from '../../reconcile/deps.ts';
import type { KnownLeader } from '../../reconcile/loop/election.ts';
import { listProviderHarm } from '../../reconcile/plans.ts';
import type { ReadProgress } from '../../reconcile/read/reading.ts';
import type { Detection } from '../../reconcile/repair/recovery.ts';
import { findRecovery } from '../../reconcile/repair/recovery.ts';
import type { Pause } from '../../reconcile/write-guard.ts';
import type { Settings } from '../../settings/schema.ts';
import { listLiveCredentials } from '../../store/credentials.ts';
import { isNotFlushed } from '../../store/engine/database.ts';
import { findRemark } from '../../store/logs.ts';
import { countWaitingPlans } from '../../store/plans.ts';
import { findLateLeavers, readBacklog } from '../../store/resources/backlog.ts';
import type { Db, Store } from '../../store/store.ts';
import { countWhere } from '../../store/tables.ts';
import type { TransportHealth } from '../../upstream/transport.ts';

/** Knowledge of the leader for every process. */
export interface News {
  /** How far the first read has come; null: it is finished. */
  readonly firstRead: ReadProgress | null;
  readonly sections: SectionStates;
  readonly health: TransportHealth;
  /** How far a sweep, or a recovery, has read the service; null: neither reads. */
  readonly reading: ReadProgress | null;
  /** What the audit log showed at the last start; null: it was not asked. */
  readonly detection: Detection | null;
}

/** Sources of readiness. Nothing here calls the service. */
export interface HealthSources {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: Pick<Settings, 'audit' | 'seats'>;
  readonly leadership: {
    /** What the leader was last heard of. */
    readonly news: () => News;
    /** Undefined: no process has ever led. */
    readonly known: () => Omit<KnownLeader, 'owner' | 'news'> | undefined;
  };
  readonly access: Pick<Access, 'isTokenGiven'>;
  readonly attempts: Pick<Attempts, 'view'>;
  /** Harm of providers above it is reported. */
  readonly repairHarm: HarmLimit;
  readonly writes: () => WritesFacts;
  readonly isDraining: () => boolean;
}

/** The work that waits, and `disputed`: names that came up within a day and that only an operator can place. */
export type WaitingWork = Awaited<ReturnType<typeof readWaitingWork>>;

/** Facts that decide if the service is changed at all. */
export interface WritesFacts {
  readonly mode: 'live' | 'observe';
  readonly pause: Pause | undefined;
}

/** Facts that readiness follows from, all known without a call to the service. */
export type ReadinessFacts = Awaited<ReturnType<typeof readFacts>>;

/** Reads them. Never rejects for the store: a store that fails or hangs is an answer. */
export async function readFacts(sources: HealthSources) {
  const { clock, leadership, isDraining, writes } = sources;
  const upstream: Omit<TransportHealth, 'inFlight' | 'waiting'> = leadership.news().health;
  const answered = new AbortController();
  const toProblem = (code: string) => ({ kind: 'problem' as const, code });
  const toLate = () => toProblem('no answer in time');
  const late = clock.sleep(STORE_ANSWER_MS, answered.signal).then(toLate, toLate);
  const store = await Promise.race([readStored(sources), late]).catch((error: unknown) => {
    // Anything else than a failure of the store is a bug and stays one.
    if (!(error instanceof BridgeError)) throw error;
    return toProblem(error.code);
  });
  answered.abort();
  const leader = leadership.known();
  return { store, draining: isDraining(), upstream, writes: writes(), leader, nowMs: clock.now() };
}

/** A store that takes longer than this, in milliseconds, does not serve requests either. */
const STORE_ANSWER_MS = 2_000;

/** Time after which a leaver who is not out is reported, in milliseconds. */
export const LEAVER_LATE_MS = 5 * 60_000;

async function readStored(sources: HealthSources) {
  const { store, clock, settings, leadership, repairHarm } = sources;
  const db = store.read;
  const now = clock.now();
  const [backlog, writeTrouble, notFlushed] = await Promise.all([
    readWaitingWork(db, now),
    store.findWriteTrouble(now),
    isNotFlushed(db),
  ]);
  const live = await listLiveCredentials(db);
  const { firstRead, sections } = leadership.news();
  const isAuditFollowed = settings.audit.pollInterval !== 0;
  return {
    kind: 'ok' as const,
    firstRead,
    sections,
    backlog,
    writeTrouble,
    notFlushed,
    recovery: await findRecovery(db),
    auditFailure: isAuditFollowed ? ((await POLL_STATE.find(db))?.failure ?? undefined) : undefined,
    waitingPlans: await countWaitingPlans(db),
    lateLeavers: await findLateLeavers(db, { before: now - LEAVER_LATE_MS, limit: 1 }),
    leftOut: await findRemark(db, 'part-left-out', now),
    recycled: await findRemark(db, 'name-recycled', now),
    providerHarm: await listProviderHarm(db, now, repairHarm),
    access: {
      hasProvider: sources.access.isTokenGiven() || opensScim(live, now),
      expiring: listExpiring(live, now),
      failedAttempts: sources.attempts.view().failed,
    },
  };
}

/** Providers ask again within hours, so a name that did not come up for a day counts as resolved. */
const DISPUTES_SHOWN_MS = 24 * 3_600_000;

/** Reads the work that waits at `now` (epoch milliseconds). */
export async function readWaitingWork(db: Db, now: number) {
  const [backlog, disputed] = await Promise.all([
    readBacklog(db),
    countWhere(db, 'disputes', { last_seen_at: { '>=': now - DISPUTES_SHOWN_MS } }),
  ]);
  return { ...backlog, disputed };
}

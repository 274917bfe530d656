import type { AccessFacts } from '../../access/overview.ts';
import type { Clock } from '../../domain/clock.ts';
import { BridgeError } from '../../domain/errors.ts';
import type { PollState } from '../../reconcile/audit/poller.ts';
import type { KnownLeader } from '../../reconcile/loop/election.ts';
import type { FirstReadState } from '../../reconcile/read/first-read.ts';
import type { RecoveryState } from '../../reconcile/repair/recovery-state.ts';
import type { ProviderFacts } from '../../reconcile/repair/watch.ts';
import type { SectionStates } from '../../reconcile/sections.ts';
import type { Pause } from '../../reconcile/write-guard.ts';
import type { Remark } from '../../store/audit/requests.ts';
import type { Weakness, WriteTrouble } from '../../store/engine/store-health.ts';
import type { WaitingPlan } from '../../store/plans/plans.ts';
import type { Backlog } from '../../store/resources/backlog.ts';
import type { LateLeavers } from '../../store/resources/leavers.ts';
import type { TransportHealth } from '../../upstream/transport.ts';

/** Sources of readiness, handed in by the composition root. Nothing here calls the service. */
export interface HealthSources {
  /** Rejects when the store cannot be used. */
  readonly assertStoreUsable: () => Promise<void>;
  /** The reason why the store can be read and not written, a full disk for instance; undefined when it takes writes. */
  readonly findWriteTrouble: () => Promise<WriteTrouble | undefined>;
  /** Reasons why committed data may be lost. */
  readonly findWeaknesses: () => Promise<readonly Weakness[]>;
  /** SCIM is served when it is finished. */
  readonly readFirstRead: () => Promise<FirstReadState>;
  readonly readSections: () => Promise<SectionStates>;
  readonly readBacklog: () => Promise<WaitingWork>;
  readonly findRecovery: () => Promise<RecoveryState | undefined>;
  /** The failure of the audit log; undefined when it can be read or is not followed. */
  readonly findAuditFailure: () => Promise<NonNullable<PollState['failure']> | undefined>;
  /** The plans that wait for an operator. */
  readonly countWaitingPlans: () => Promise<readonly WaitingPlan[]>;
  /** People who left more than five minutes ago and are not out, the oldest of them. */
  readonly findLateLeavers: () => Promise<LateLeavers>;
  /** Requests of the last day that an operator should know of. */
  readonly findRemark: (kind: 'left-out' | 'name-recycled') => Promise<Remark | undefined>;
  /** Facts about providers that an operator should know. */
  readonly readProviders: () => Promise<ProviderFacts>;
  /** Credentials, and failed attempts. */
  readonly readAccess: () => Promise<AccessFacts>;
  readonly upstreamHealth: () => Pick<
    TransportHealth,
    'credentials' | 'service' | 'redirectedSinceMs' | 'pausedForMs'
  >;
  readonly writes: () => WritesFacts;
  /** Undefined: no process has ever led. */
  readonly findLeader: () => Omit<KnownLeader, 'owner' | 'news'> | undefined;
  readonly isDraining: () => boolean;
  readonly clock: Clock;
}

/** The work that waits, also for an operator. */
export interface WaitingWork extends Backlog {
  /** Names that came up within a day and that only an operator can place. */
  readonly disputed: number;
}

/** Facts that decide if the service is changed at all. */
export interface WritesFacts {
  readonly mode: 'live' | 'observe';
  /** The pause that an operator asked for; undefined: there is none. */
  readonly pause: Pause | undefined;
}

/** Facts that readiness follows from, all known without a call to the service. */
export type ReadinessFacts = Awaited<ReturnType<typeof readFacts>>;

/** Reads them. Never rejects for the store: a store that fails or hangs is an answer. */
export async function readFacts(sources: HealthSources) {
  return {
    store: await readStored(sources),
    draining: sources.isDraining(),
    upstream: sources.upstreamHealth(),
    writes: sources.writes(),
    leader: sources.findLeader(),
    nowMs: sources.clock.now(),
  };
}

/** A store that takes longer than this, in milliseconds, does not serve requests either. */
const storeAnswerMs = 2_000;

/** Facts from the store, or the code of its error. */
async function readStored(sources: HealthSources) {
  const answered = new AbortController();
  const toLate = () => ({ kind: 'problem' as const, code: 'no answer in time' });
  // Cut short when the store was faster; its result is not used then.
  const late = sources.clock.sleep(storeAnswerMs, answered.signal).then(toLate, toLate);
  try {
    return await Promise.race([readAll(sources).catch(toProblem), late]);
  } finally {
    answered.abort();
  }
}

async function readAll(sources: HealthSources) {
  await sources.assertStoreUsable();
  const [firstRead, sections, backlog, writeTrouble, weaknesses] = await Promise.all([
    sources.readFirstRead(),
    sources.readSections(),
    sources.readBacklog(),
    sources.findWriteTrouble(),
    sources.findWeaknesses(),
  ]);
  return {
    kind: 'ok' as const,
    ...{ firstRead, sections, backlog, writeTrouble, weaknesses },
    recovery: await sources.findRecovery(),
    auditFailure: await sources.findAuditFailure(),
    waitingPlans: await sources.countWaitingPlans(),
    lateLeavers: await sources.findLateLeavers(),
    leftOut: await sources.findRemark('left-out'),
    recycled: await sources.findRemark('name-recycled'),
    providers: await sources.readProviders(),
    access: await sources.readAccess(),
  };
}

/** The store's own failure is what readiness tells; anything else is a bug and stays one. */
function toProblem(error: unknown) {
  if (error instanceof BridgeError) return { kind: 'problem' as const, code: error.code };
  throw error;
}

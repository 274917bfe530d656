import type { AccessFacts } from '../../access/overview.ts';
import type { Clock } from '../../domain/clock.ts';
import { BridgeError } from '../../domain/errors.ts';
import type { RecoveryState } from '../../reconcile/repair/recovery-state.ts';
import type { ProviderFacts } from '../../reconcile/repair/watch.ts';
import type { SectionStates } from '../../reconcile/sections.ts';
import type { LateLeavers } from '../../store/changes.ts';
import type { Weakness, WriteTrouble } from '../../store/engine/store-health.ts';
import type { Overload } from '../../telemetry/overload.ts';
import { type Readiness, toReadiness } from './readiness.ts';
import type {
  AuditFailure,
  FirstRead,
  LeaderFacts,
  StoredFacts,
  UpstreamFacts,
  WaitingPlanFacts,
  WaitingWork,
  WritesFacts,
} from './readiness-facts.ts';

/** Sources of health, handed in by the composition root. Nothing here calls the service. */
export interface HealthSources {
  /** Rejects when the store cannot be used. */
  readonly assertStoreUsable: () => Promise<void>;
  /** The reason why the store can be read and not written; undefined when it takes writes. */
  readonly findWriteTrouble: () => Promise<WriteTrouble | undefined>;
  /** Reasons why committed data may be lost. */
  readonly findWeaknesses: () => Promise<readonly Weakness[]>;
  readonly readFirstRead: () => Promise<FirstRead>;
  readonly readSections: () => Promise<SectionStates>;
  readonly readBacklog: () => Promise<WaitingWork>;
  readonly findRecovery: () => Promise<RecoveryState | undefined>;
  /** The failure of the audit log; undefined when it can be read or is not followed. */
  readonly findAuditFailure: () => Promise<AuditFailure | undefined>;
  /** The plan that waits for an operator, if any. */
  readonly countWaitingPlans: () => Promise<readonly WaitingPlanFacts[]>;
  /** People who left more than five minutes ago and are not out, the oldest of them. */
  readonly findLateLeavers: () => Promise<LateLeavers>;
  /** Facts about providers that an operator should know. */
  readonly readProviders: () => Promise<ProviderFacts>;
  /** Credentials, and failed attempts. */
  readonly readAccess: () => Promise<AccessFacts>;
  readonly upstreamHealth: () => UpstreamFacts;
  readonly writes: () => WritesFacts;
  readonly findLeader: () => LeaderFacts | undefined;
  readonly isDraining: () => boolean;
  readonly findOverload: () => Overload | undefined;
  readonly clock: Clock;
}

/** A store that takes longer than this, in milliseconds, does not serve requests either. */
const storeAnswerMs = 2_000;

/** Reads if the bridge can serve now. Never rejects for the store: a store that fails or hangs is an answer. */
export async function readReadiness(sources: HealthSources): Promise<Readiness> {
  const store = await readStored(sources);
  return toReadiness({
    store,
    draining: sources.isDraining(),
    overload: sources.findOverload(),
    upstream: sources.upstreamHealth(),
    writes: sources.writes(),
    leader: sources.findLeader(),
    nowMs: sources.clock.now(),
  });
}

async function readStored(sources: HealthSources): Promise<StoredFacts> {
  const answered = new AbortController();
  const toLate = (): StoredFacts => ({ kind: 'problem', code: 'no answer in time' });
  // Cut short when the store was faster; its result is not used then.
  const late = sources.clock.sleep(storeAnswerMs, answered.signal).then(toLate, toLate);
  try {
    return await Promise.race([readAll(sources).catch(toProblem), late]);
  } finally {
    answered.abort();
  }
}

async function readAll(sources: HealthSources): Promise<StoredFacts> {
  await sources.assertStoreUsable();
  const [firstRead, sections, backlog, writeTrouble, weaknesses] = await Promise.all([
    sources.readFirstRead(),
    sources.readSections(),
    sources.readBacklog(),
    sources.findWriteTrouble(),
    sources.findWeaknesses(),
  ]);
  const [recovery, auditFailure, waitingPlans, lateLeavers, providers, access] = await Promise.all([
    sources.findRecovery(),
    sources.findAuditFailure(),
    sources.countWaitingPlans(),
    sources.findLateLeavers(),
    sources.readProviders(),
    sources.readAccess(),
  ]);
  const waiting = { backlog, recovery, auditFailure, waitingPlans, lateLeavers, providers, access };
  return { kind: 'ok', firstRead, sections, writeTrouble, weaknesses, ...waiting };
}

/** The store's own failure is what readiness tells; anything else is a bug and stays one. */
function toProblem(error: unknown): StoredFacts {
  if (error instanceof BridgeError) return { kind: 'problem', code: error.code };
  throw error;
}

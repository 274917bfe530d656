import type { AdoptionPolicy } from '../domain/adoption.ts';
import type { SentChange } from '../domain/change.ts';
import type { ChangeClass } from '../domain/change-class.ts';
import type { Clock } from '../domain/clock.ts';
import type { PlanOrigin, PlanStatus } from '../domain/plan.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { Deactivation } from '../domain/user.ts';
import type { Rules } from '../rules/rules.ts';
import type { Store } from '../store/store.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { CallClass, Transport } from '../upstream/transport.ts';
import type { OutageWatch } from './outage.ts';
import type { QuirkStore } from './quirks.ts';

/** Part of the settings that convergence follows. */
export interface ReconcilePolicy {
  readonly deactivation: Deactivation;
  readonly groupDeletion: 'created' | 'never';
  readonly membersPerCall: number;
  /** Times that a change may fail by its own fault before it is stuck. */
  readonly attemptsMax: number;
  /** Entries asked for per page of a list. */
  readonly pageSize: number;
  readonly adoptUsers: AdoptionPolicy;
  readonly adoptGroups: AdoptionPolicy;
  /** Harm of each kind that providers may do in 24 hours: held above both; a count of 0: without limit. */
  readonly providerHarm: { readonly count: number; readonly percent: number };
  /** True for a refusal for lack of seats: an addition that meets it waits. */
  readonly isSeatRefusal: (refusal: Refusal) => boolean;
  /** Longest duration of a call, with its repeats and the pauses between them, in milliseconds. */
  readonly callMs: number;
}

/** Events that reconciliation reports to telemetry; ids yes, personal data never. */
export interface ReconcileEvents {
  converged(fields: {
    type: 'user' | 'group';
    id: string;
    action: string;
    outcome: 'done' | 'refused' | 'later' | 'unknown';
  }): void;
  /** The service holds a change that a provider had asked for `tookMs` before. */
  changeHeld(fields: { kind: ChangeClass; tookMs: number }): void;
  /** An acknowledged change was refused for the first time; it is kept, and tried again slowly. */
  stuck(fields: { type: 'user' | 'group'; id: string; code: string }): void;
  /** The service confirms that a user or group is gone. */
  deletionFinished(fields: { type: 'user' | 'group'; id: string }): void;
  failed(fields: { type: string; id: string; error: unknown }): void;
  sectionChanged(fields: { section: string; up: boolean; code: string }): void;
  /** A new event of the audit log was read: its origin, and its delay. */
  auditEvent(fields: {
    origin: 'ours' | 'foreign' | 'unknown' | 'unreadable';
    delayMs: number;
  }): void;
  /** Another author changed a managed user or group, which is looked at now. `action` is the service's word. */
  changedByOthers(fields: { type: 'user' | 'group'; id: string; action: string }): void;
  /** The audit log cannot be read from now on, or can be again. */
  auditFollowed(fields: { failing: boolean; code: string; afterMs: number }): void;
  firstRead(fields: { step: string; count: number }): void;
  firstReadFailed(fields: { step: string; reason: string; retryInMs: number }): void;
  /** Result of the start, or progress of recovery. */
  recovery(fields: { phase: string; code: string; actions?: number }): void;
  /** A plan was made, has grown, or has another status now. */
  plan(fields: { id: string; status: PlanStatus; source: PlanOrigin; actions: number }): void;
  /** Reports the progress of an approved plan of going live or of recovery, in users and groups. */
  release(fields: {
    total: number;
    done: number;
    stuck: number;
    elapsedMs: number;
    leftMs?: number;
  }): void;
}

/** Dependencies of every process, whether it leads or not. */
export interface ProcessDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly policy: ReconcilePolicy;
  /** Rules of the configuration. */
  readonly rules: Rules;
  readonly events: ReconcileEvents;
  /** Absent: off. */
  readonly tracing?: Tracing | undefined;
}

/** Dependencies of every step of reconciliation: the leader alone has a way to the service. */
export interface ReconcileDeps extends ProcessDeps {
  readonly upstream: Transport;
  readonly quirks: QuirkStore;
  readonly outage: OutageWatch;
}

/** Hold that keeps a bridge from changing the service before it knows that it may. */
export interface Hold {
  /** Resolves when the service may be changed. */
  readonly over: Promise<void>;
  /** Resolves when it may be changed without a new write too: not while a restored backup waits for a decision. */
  readonly trusted: Promise<void>;
  /** True when waiting for it is in vain, because the service does not answer. */
  isLong(): boolean;
}

/** Class of a call in the budget, and the resource by which the round-robin counts it. */
export interface CallContext {
  readonly class: CallClass;
  readonly key: string;
  /** 1 for a call that failed before: only later runs repeat it. */
  readonly attemptsMax?: number;
  /** Changes that the call makes; absent: it looks. */
  readonly changes?: readonly SentChange[];
}

import type { AccessFacts } from '../../access/overview.ts';
import type { PlanOrigin } from '../../domain/plan.ts';
import type { Pause } from '../../reconcile/mode.ts';
import type { RecoveryState } from '../../reconcile/repair/recovery-state.ts';
import type { ProviderFacts } from '../../reconcile/repair/watch.ts';
import type { SectionStates } from '../../reconcile/sections.ts';
import type { LateLeavers } from '../../store/changes.ts';
import type { Weakness, WriteTrouble } from '../../store/engine/store-health.ts';
import type { Backlog } from '../../store/resources/backlog.ts';
import type { Overload } from '../../telemetry/overload.ts';
import type { TransportHealth } from '../../upstream/transport.ts';

/** Progress of the first complete read of the service; SCIM is served when it is finished. */
export type FirstRead =
  | { readonly kind: 'finished' }
  | {
      readonly kind: 'running';
      readonly step: string;
      readonly count: number;
      readonly total?: number;
      readonly endsAt?: number;
    };

/** Facts from the store, or the code of its error. */
export type StoredFacts =
  | {
      readonly kind: 'ok';
      readonly firstRead: FirstRead;
      readonly sections: SectionStates;
      readonly backlog: WaitingWork;
      /** It can be read and not written: a full disk, for instance. */
      readonly writeTrouble: WriteTrouble | undefined;
      /** Reasons why committed data may be lost. */
      readonly weaknesses: readonly Weakness[];
      readonly recovery: RecoveryState | undefined;
      readonly auditFailure: AuditFailure | undefined;
      readonly waitingPlans: readonly WaitingPlanFacts[];
      /** People who left more than five minutes ago and are not out. */
      readonly lateLeavers: LateLeavers;
      readonly providers: ProviderFacts;
      readonly access: AccessFacts;
    }
  | { readonly kind: 'problem'; readonly code: string };

/** A failure of the audit log: its beginning (epoch milliseconds), and the code of the error. */
export interface AuditFailure {
  readonly since: number;
  readonly code: string;
}

/** A plan that waits for an operator. `created_at` is epoch milliseconds. */
export interface WaitingPlanFacts {
  readonly id: string;
  readonly source: PlanOrigin;
  readonly created_at: number;
  /** Changes that wait. */
  readonly waiting: number;
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

/** The process that brings changes to the service, as far as this one knows. */
export interface LeaderFacts {
  readonly epoch: number;
  /** Epoch milliseconds. */
  readonly since: number;
  readonly isSelf: boolean;
  /** False: it has not been heard of for so long that another process takes over. */
  readonly isAlive: boolean;
}

/** Facts that the transport has of the service without asking it. */
export type UpstreamFacts = Pick<
  TransportHealth,
  'credentials' | 'service' | 'redirectedSinceMs' | 'pausedForMs'
>;

/** Facts that readiness follows from, all known without a call to the service. */
export interface ReadinessFacts {
  readonly store: StoredFacts;
  readonly draining: boolean;
  readonly overload: Overload | undefined;
  readonly upstream: UpstreamFacts;
  readonly writes: WritesFacts;
  /** Undefined: no process has ever led. */
  readonly leader: LeaderFacts | undefined;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

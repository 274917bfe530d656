import type { Access } from '../access/access.ts';
import type { Attempts } from '../access/attempts.ts';
import type { ProcessDeps } from '../reconcile/deps.ts';
import type { createOperatorCalls, LeaderWork, Reconciler } from '../reconcile/loop/reconciler.ts';
import type { DriftDecisions } from '../reconcile/repair/decisions.ts';
import type { Queue } from '../reconcile/waiters.ts';
import type { openWriteGuard } from '../reconcile/write-guard.ts';
import type { Rules } from '../rules/rules.ts';
import type { ShownSetting } from '../settings/shown.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { OpenAct } from './http/operator.ts';
import type { OpsJson } from './schemas/schemas.ts';
import type { HealthSources } from './state/readiness-facts.ts';

/** Dependencies of the requests below `/ops`. */
export interface OpsSources extends StatusSources {
  readonly access: Access;
  readonly attempts: Attempts;
  readonly metrics: Pick<Metrics, 'registry'>;
  readonly acts: { readonly open: OpenAct };
  readonly process: ProcessDeps;
  readonly rules: Rules;
  /** Place of the embedded sandbox, whose controls are below `/_sandbox/`. */
  readonly target: { readonly sandbox?: OpsJson<'Sandbox'> | undefined };
  readonly guard: Pick<Awaited<ReturnType<typeof openWriteGuard>>, 'pause' | 'resume'>;
  readonly drifts: DriftDecisions;
  /** Finds the words of a repair of a request; null for a kind of an earlier version. */
  readonly findRepairWords: (kind: string) => string | null;
  readonly leadership: StatusSources['leadership'] & {
    readonly look: LeaderWork['look'];
    readonly callForOperator: ReturnType<typeof createOperatorCalls>;
  };
  /** `refresh` has this process read the ids that were imported. */
  readonly formerIds: { readonly refresh: () => Promise<void> };
  /** Waits until the acts of operators and the requests of providers are stored that this process has answered. */
  readonly recordsStored: () => Promise<unknown>;
  readonly notifications: {
    /** Stores a notification for one receiver, or for each; returns the ids. */
    readonly test: (receiver: string | undefined) => Promise<string[]>;
    readonly receivers: readonly string[];
  };
}

/** Sources of a status. Nothing here calls the service. */
export interface StatusSources extends HealthSources {
  readonly leadership: HealthSources['leadership'] & { readonly readQueue: () => Promise<Queue> };
  readonly reconciler: Pick<Reconciler, 'activity'>;
  readonly scim: { readonly baseUrl: string };
  /** The process that answers; `startedAt` is epoch milliseconds. */
  readonly about: {
    readonly version: string;
    readonly startedAt: number;
    readonly settings: readonly ShownSetting[];
  };
}

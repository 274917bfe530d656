import type { Response } from 'express';
import type { Access } from '../access/access.ts';
import type { Adoption, AdoptionRequest } from '../domain/provider.ts';
import type { LeaderWork } from '../reconcile/loop/reconciler.ts';
import type { DriftDecisions } from '../reconcile/repair/decisions.ts';
import type { Queue } from '../reconcile/waiters.ts';
import type { openWriteGuard } from '../reconcile/write-guard.ts';
import type { Rules } from '../rules/rules.ts';
import type { ShownSetting } from '../settings/shown.ts';
import type { Operation } from '../upstream/operations/operation.ts';
import type { CallOptions } from '../upstream/transport.ts';
import type { OpsJson } from './schemas/schemas.ts';
import type { HealthSources } from './state/readiness-facts.ts';

/** Dependencies of the requests below `/ops`. */
export interface OpsSources extends StatusSources {
  readonly access: Pick<Access, 'providers' | 'tokens' | 'clients' | 'sessions'>;
  readonly rules: Rules;
  readonly settings: readonly ShownSetting[];
  /** Place of the embedded sandbox, whose controls are below `/_sandbox/`. */
  readonly sandbox: OpsJson<'Sandbox'> | undefined;
  readonly pause: Awaited<ReturnType<typeof openWriteGuard>>['pause'];
  /** Ends a pause, and has what waited go on. */
  readonly resume: () => Promise<void>;
  readonly adopt: (type: 'user' | 'group', request: AdoptionRequest) => Promise<Adoption>;
  readonly drifts: DriftDecisions;
  /** Finds the words of a repair of a request; null for a kind of an earlier version. */
  readonly findRepairWords: (kind: string) => string | null;
  readonly requestSweep: (dryRun: boolean) => Promise<string>;
  readonly look: LeaderWork['look'];
  /** Has this process read the ids that were imported. */
  readonly refreshFormerIds: () => Promise<void>;
  /** Waits until the acts of operators and the requests of providers are stored that this process has answered. */
  readonly recordsStored: () => Promise<unknown>;
  readonly notifications: {
    /** Stores a notification for one receiver, or for each; returns the ids. */
    readonly test: (receiver: string | undefined) => Promise<string[]>;
    readonly receivers: readonly string[];
  };
  readonly api: ApiSource;
}

/** Sources of a status. Nothing here calls the service. */
export interface StatusSources extends HealthSources {
  readonly activity: () => { readonly running: number; readonly waiting: number };
  readonly readQueue: () => Promise<Queue>;
  readonly readSeats: () => Promise<OpsJson<'Seats'>>;
  readonly scimUrl: string;
  /** The process that answers; `startedAt` is epoch milliseconds. */
  readonly about: { readonly version: string; readonly startedAt: number };
}

/** The way of an operator to the service. */
export interface ApiSource {
  /** @throws TypeError when the arguments do not fit; UpstreamError when the call fails */
  readonly call: (operation: Operation, args: unknown, options: CallOptions) => Promise<unknown>;
  /** Finds the one managed user or group that a call names, by its SCIM id; undefined: none, or several. */
  readonly findSubject: (operation: string, args: unknown) => Promise<string | undefined>;
  /** Reports each call when it has ended, without its values. `result`: `done`, or the code of the error. */
  readonly report: (call: { operation: string; result: string }, res: Response) => void;
}

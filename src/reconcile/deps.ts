import type { DriftPolicy, HarmLimit } from '../domain/change.ts';
import type { Clock } from '../domain/clock.ts';
import type { Adoption, AdoptionPolicy, AdoptionRequest } from '../domain/provider.ts';
import type { Refusal } from '../domain/values.ts';
import type { PlanPolicy } from '../plan/plan.ts';
import type { Rules } from '../rules/rules.ts';
import type { Store } from '../store/store.ts';
import type { Events } from '../telemetry/events.ts';
import type { Tracing } from '../telemetry/open-telemetry.ts';
import type { Transport } from '../upstream/transport.ts';
import type { OutageWatch, QuirkStore, Sections } from './quirks.ts';

/** Part of the settings that reconciliation follows. */
export interface ReconcilePolicy extends Omit<PlanPolicy, 'addressMayChange'> {
  /** Times that a change may fail by its own fault before it is stuck. */
  readonly attemptsMax: number;
  /** Entries asked for per page of a list. */
  readonly pageSize: number;
  readonly adoptUsers: AdoptionPolicy;
  readonly adoptGroups: AdoptionPolicy;
  /** Harm of each kind that providers may do in 24 hours: held above both; a count of 0: without limit. */
  readonly providerHarm: { readonly count: number; readonly percent: number };
  /** Harm of each kind that repairs do in 24 hours without an operator. */
  readonly repairHarm: HarmLimit;
  readonly drift: DriftPolicy;
  /** Time after a write of our own in which a difference is not drift yet, in milliseconds. */
  readonly settleMs: number;
  /** Milliseconds from the beginning of one sweep to that of the next; 0: only when asked for. */
  readonly sweepIntervalMs: number;
  /** Every how many sweeps the admin lists are read. */
  readonly adminsEvery: number;
  /** Age to which calls, events, requests, drifts, sweeps and plans are kept, in milliseconds. */
  readonly ledgerMs: number;
  /** The same of deleted people and groups, by name; 0: for ever. */
  readonly tombstonesMs: number;
  /** True for a refusal for lack of seats: an addition that meets it waits. */
  readonly isSeatRefusal: (refusal: Refusal) => boolean;
  /** Longest duration of a call, with its repeats and the pauses between them, in milliseconds. */
  readonly callMs: number;
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
  readonly events: Events;
  /** Name of the service that the store belongs to: its base URL, or a constant for the embedded sandbox. */
  readonly identity: string;
  /** Takes an account or group over, by hand or by a policy, as a request does. */
  readonly adopt: (type: 'user' | 'group', request: AdoptionRequest) => Promise<Adoption>;
  /** Absent: off. */
  readonly tracing?: Tracing | undefined;
}

/** Dependencies of every step of reconciliation: the leader alone has a way to the service. */
export interface ReconcileDeps extends ProcessDeps {
  readonly upstream: Transport;
  readonly quirks: QuirkStore;
  readonly sections: Sections;
  readonly outage: OutageWatch;
}

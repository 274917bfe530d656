import type { Adoption, AdoptionRequest } from '../../domain/adoption.ts';
import type { DriftPolicy } from '../../domain/drift-policy.ts';
import type { HarmLimit } from '../../domain/harm.ts';
import type { GivenKey } from '../../domain/ids.ts';
import type { GroupRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { ProcessDeps } from '../deps.ts';
import type { ReadDeps } from '../read/reading.ts';

/** Policy of repairs; settings drift.*, limits.*. */
export interface RepairPolicy {
  readonly actions: DriftPolicy;
  /** Harm of each kind that repairs do in 24 hours without an operator. */
  readonly limit: HarmLimit;
  /** Time after a write of our own in which a difference is not drift yet, in milliseconds. */
  readonly settleMs: number;
}

/** Way in which unmanaged resources are adopted. */
export type Takeover = Pick<AdoptionRequest, 'provider' | 'isDryRun'>;

/** Dependencies of decisions about drifts, in every process. */
export interface DecisionDeps extends ProcessDeps {
  readonly repair: RepairPolicy;
  /** Finds the reason why protected users do not leave this group; undefined for an ordinary group. */
  readonly findGroupPrivilege: (tx: Db, row: GroupRow) => Promise<string | undefined>;
  /** Adopts an unmanaged resource, as an operator does, but no privileged one. */
  readonly adopt: (key: GivenKey, how: Takeover) => Promise<Adoption>;
}

/** Dependencies of everything about drifts, at the leader. */
export type DriftDeps = DecisionDeps & ReadDeps;

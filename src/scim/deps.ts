import type { Attempts } from '../access/attempts.ts';
import type { FindCredential } from '../access/credential.ts';
import type { AdmissionLimits, TurnedAway } from '../domain/admission.ts';
import type { AdoptionPolicy } from '../domain/adoption.ts';
import type { Clock } from '../domain/clock.ts';
import type { ResourceKey } from '../domain/ids.ts';
import type { RequestLog } from '../domain/kept-request.ts';
import type { Turns } from '../domain/turns.ts';
import type { Deactivation } from '../domain/user.ts';
import type { Reconciler } from '../reconcile/reconciler.ts';
import type { Rules } from '../reconcile/rules/rules.ts';
import type { Store } from '../store/database.ts';
import type { OverloadKind } from '../telemetry/overload.ts';
import type { FindClosed } from './http/guards.ts';
import type { BodyLimits } from './http/limit-bodies.ts';
import type { ToMoment } from './render/resource-text.ts';
import type { RepairKind } from './repairs.ts';

/** What the settings say about requests of identity providers. */
export interface ScimPolicy {
  /** How long a write waits for the service, from its arrival, in milliseconds. */
  readonly writeWaitMs: number;
  readonly whenUpstreamIsDown: 'accept' | 'refuse';
  readonly bodies: BodyLimits;
  /** What one credential may ask for. */
  readonly requests: AdmissionLimits;
  readonly filterLengthMax: number;
  readonly pageSize: number;
  readonly pageSizeMax: number;
  readonly bulkOperationsMax: number;
  readonly patchOperationsMax: number;
  /** How large a user may become, in bytes of its JSON; a group has no text to speak of. */
  readonly resourceBytesMax: number;
  readonly deactivation: Deactivation;
  readonly adoptUsers: AdoptionPolicy;
  readonly adoptGroups: AdoptionPolicy;
  /** Whether a DELETE may be the write that takes somebody over. */
  readonly adoptUsersOnDelete: DeleteAdoption;
  readonly adoptGroupsOnDelete: DeleteAdoption;
  /** Mask of the permission bits that a provider may set. */
  readonly permissionsMax: number;
}

/** settings: users.adoptOnDelete, groups.adoptOnDelete. */
export type DeleteAdoption = 'yes' | 'refuse';

/** What the SCIM server is told by the rest of the bridge. */
export interface ScimDeps {
  readonly store: Store;
  readonly reconciler: Reconciler;
  readonly clock: Clock;
  /** Cuts long work for requests into turns; all requests share them. */
  readonly turns: Turns;
  /** Whose a presented token is. */
  readonly findCredential: FindCredential;
  /** Told of requests without a valid one. */
  readonly attempts: Pick<Attempts, 'failed'>;
  readonly policy: ScimPolicy;
  /** The rules of the configuration. */
  readonly rules: Rules;
  /** What `meta.location` starts with: the public address and `/scim/v2`, never from a request. */
  readonly baseUrl: string;
  readonly toMoment: ToMoment;
  /** Closed while the first read runs, or a section is closed. */
  readonly findClosed: FindClosed;
  /** True while the store may be older than the service: what a provider creates may exist there already. */
  readonly looksFirst: () => boolean;
  /** True while the service does not answer or refuses our credentials. */
  readonly isUpstreamDown: () => boolean;
  readonly telemetry: ScimTelemetry;
  /** Where it is kept what providers asked for. */
  readonly requests: RequestLog;
}

/** How a provider's write was answered. */
type WriteAnswered = ResourceKey &
  (
    | { readonly answer: 'applied' | 'accepted' | 'unchanged' }
    | { readonly answer: 'refused'; readonly code: string }
  );

/** What the SCIM server tells telemetry. No personal data, no bodies. */
export interface ScimTelemetry {
  /** Somebody with a valid token asks for something. */
  heard(): void;
  repaired(kind: RepairKind): void;
  failed(fields: { requestId: string; error: unknown }): void;
  adopted(fields: { type: 'user' | 'group'; id: string }): void;
  /** How a stored write was answered; `code` says why it was refused. */
  answered(fields: WriteAnswered): void;
  /** A request was refused for what others are doing, or for how many there are. */
  turnedAway(why: TurnedAway | OverloadKind | 'bodies'): void;
  /** A name came up for the first time that only an operator can place. */
  disputed(fields: { type: 'user' | 'group' }): void;
}

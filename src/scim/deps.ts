import type { Access, FindCredential } from '../access/access.ts';
import type { AdmissionLimits } from '../access/admission.ts';
import type { Attempts } from '../access/attempts.ts';
import type { Clock } from '../domain/clock.ts';
import type { AdoptionPolicy } from '../domain/provider.ts';
import type { Reconciler } from '../reconcile/loop/reconciler.ts';
import type { Rules } from '../rules/rules.ts';
import type { KeptRequest } from '../store/logs.ts';
import type { OpenRecord, Store } from '../store/store.ts';
import type { Events } from '../telemetry/events.ts';
import type { Tracing } from '../telemetry/open-telemetry.ts';
import type { UserCache } from './render/user-cache.ts';
import type { Schemas } from './schema/resource-schemas.ts';

/** Settings about the requests of identity providers. */
export interface ScimPolicy {
  /** Longest wait of a write for the service, from its arrival, in milliseconds. */
  readonly writeWaitMs: number;
  readonly whenUpstreamIsDown: 'accept' | 'refuse';
  /** Most bytes of the bodies of all requests that are not answered yet. */
  readonly bodiesBytesMax: number;
  readonly requests: AdmissionLimits;
  readonly adopt: Readonly<Record<'user' | 'group', AdoptionPolicy>>;
  readonly adoptOnDelete: Readonly<Record<'user' | 'group', 'yes' | 'refuse'>>;
  /** Mask of the permission bits that a provider may set. */
  readonly permissionsMax: number;
}

/** Parts of the bridge that the SCIM server is given. */
export interface ScimDeps {
  readonly store: Store;
  readonly reconciler: Reconciler;
  /** The id of the bridge for one of an earlier server; any other id is returned as it is. */
  readonly toOwnId: (type: 'user' | 'group', id: string) => string;
  /** Absent: each user is read. */
  readonly userCache?: UserCache | undefined;
  readonly clock: Clock;
  readonly findCredential: FindCredential;
  readonly findHandling: Access['providers']['findHandling'];
  readonly attempts: Pick<Attempts, 'failed'>;
  readonly policy: ScimPolicy;
  readonly rules: Rules;
  readonly schemas: Schemas;
  /** Start of every `meta.location`: the public address and `/scim/v2`, never taken from a request. */
  readonly baseUrl: string;
  /** Finds why users or groups cannot be served now: the first read runs, or a section is closed. */
  readonly findClosed: (
    type: 'user' | 'group',
  ) => { readonly detail: string; readonly retryAfterSeconds: number } | undefined;
  /** True while the store may be older than the service, so that a new user or group may exist there already. */
  readonly looksFirst: () => boolean;
  /** True while the service does not answer or refuses our credentials. */
  readonly isUpstreamDown: () => boolean;
  readonly events: Events;
  readonly tracing: Tracing | undefined;
  /** Opens the record of a request; `toRequest` makes the line as it is known before the answer. */
  readonly openRequest: (toRequest: () => KeptRequest) => OpenRecord<KeptRequest>;
}

/** Parts that one request of a provider is given. */
export interface ProviderDeps extends ScimDeps {
  readonly provider: string;
  /** Has what is shown count, in bytes. @throws ScimError 503 */
  readonly hold?: ((bytes: number) => void) | undefined;
}

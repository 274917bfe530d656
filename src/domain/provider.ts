import { listFoldedEmails } from './address.ts';
import { createMatcher } from './name.ts';
import type { JsonObject, ResourceKey } from './values.ts';
import { foldCase, parseFields } from './values.ts';

/** Provider of every credential and resource that names no other: it always exists, and has no limits. */
export const DEFAULT_PROVIDER = 'default';

/** Things that a provider may do with its own people and groups, as a refusal says them; `create` is also to take over. */
const REFUSALS = {
  'users.create': 'may not create or take over users.',
  'users.change': 'may not change users.',
  'users.deactivate': 'may not deactivate users.',
  'users.delete': 'may not delete users.',
  'groups.create': 'may not create or take over groups.',
  'groups.change': 'may not change groups.',
  'groups.delete': 'may not delete groups.',
  'groups.add-others': 'may add its own people alone to its groups.',
} as const;

/** One thing that a provider may do. */
export type Right = keyof typeof REFUSALS;

/** All of these things. */
export const RIGHTS = parseFields<Right>(REFUSALS);

/** Columns that say whose a user or group is. */
export interface Owned {
  /** null: nobody manages it, so it is no provider's. */
  readonly origin: string | null;
  readonly provider: string;
}

/** True when a provider other than this one manages the user or group. */
export const isOfOther = (provider: string, row: Owned) =>
  row.origin !== null && row.provider !== provider;

/** Choices of a provider where the standard leaves several; the first of each is the default. */
export const CHOICES = {
  /** A POST of somebody who is inactive: 409, or the same user active again. */
  returning: ['conflict', 'restore'],
  /** Members that nobody has the id of: 400, or left out. */
  unknownMembers: ['refuse', 'skip'],
  /** Groups among members: 400, left out, or their people are members. */
  nestedGroups: ['refuse', 'skip', 'flatten'],
  /** People and groups outside its mail domains and group names: 403, or accepted and kept from the service. */
  outside: ['refuse', 'accept'],
  /** Accounts for people who are new to the service, which sends them mail: once they are active, or made by others alone. */
  invite: ['onActivation', 'never'],
  /** Changes of its people and groups: made; accepted, and held in a plan once it is live; or accepted, and made then. */
  mode: ['live', 'observe', 'paused'],
} as const;

/** Names by which a person is recognised who is new to the bridge. */
export const MATCHES = ['userName', 'externalId', 'address'] as const;

/** How the requests of a provider are taken. */
export type Handling = {
  readonly [Name in keyof typeof CHOICES]: (typeof CHOICES)[Name][number];
} & {
  readonly match: readonly (typeof MATCHES)[number][];
  /** Days after a deletion in which the person, out at once, stays in the lists of groups, and may return to them. */
  readonly graceDays: number;
  /** Requests that it may send in a second; null: as many as others. */
  readonly requestsPerSecond: number | null;
};

/** Limits of a provider. */
export interface ProviderLimits {
  /** Mail domains whose people it may create or take over, in lower case; null: any. */
  readonly domains: readonly string[] | null;
  /** Patterns of the names that its groups may have; null: any. */
  readonly groupNames: readonly string[] | null;
  readonly may: readonly Right[];
}

/** What a provider may do, and how its requests are taken. */
export type ProviderTerms = ProviderLimits &
  Handling & {
    /** Until then its requests are kept with masked values (epoch milliseconds); null: none was. */
    readonly tracedUntil: number | null;
  };

/** A change of the terms of a provider. */
export interface TermsChange {
  readonly name: string;
  readonly before: ProviderTerms;
  readonly after: ProviderTerms;
}

/** The terms as far as no operator chose. */
export const DEFAULT_TERMS: ProviderTerms = {
  ...{ domains: null, groupNames: null, may: RIGHTS },
  ...{ returning: 'conflict', unknownMembers: 'refuse', nestedGroups: 'refuse' },
  ...{ outside: 'refuse', invite: 'onActivation', mode: 'live' },
  match: ['userName', 'address'],
  graceDays: 0,
  requestsPerSecond: null,
  tracedUntil: null,
};

/** Reason why a provider may not do something; undefined: it may. */
export function findRightLimit({ may }: ProviderLimits, rights: readonly Right[]) {
  const right = rights.find((one) => !may.includes(one));
  return right && REFUSALS[right];
}

/** Reason why one of these names of a user or group is outside the scope of a provider, without a name of a person; undefined: none is. */
export function findScopeLimit(
  { domains, groupNames }: ProviderLimits,
  type: ResourceKey['type'],
  names: readonly string[],
): string | undefined {
  if (type === 'user') {
    if (domains === null || areWithin(domains, names)) return undefined;
    return `may have people of these mail domains alone: ${domains.join(', ')}.`;
  }
  if (groupNames === null) return undefined;
  const isAllowed = createMatcher(groupNames);
  if (names.every((name) => isAllowed([name]))) return undefined;
  return `may have groups of these names alone: ${groupNames.join(', ')}.`;
}

/** Reasons why the service gets nothing of a user or group: outside the scope of its provider, which invites nobody. */
export const STAGED = ['scope', 'invite'] as const;
/** One of these reasons. */
export type Staged = (typeof STAGED)[number];

/** Finds the reason why a user or group that the service does not have is kept from it; null: it is made. */
export function findStaged(
  terms: ProviderTerms,
  type: ResourceKey['type'],
  attributes: JsonObject,
): Staged | null {
  const isOutside = findScopeLimit(terms, type, listScopeNames(type, attributes)) !== undefined;
  if (terms.outside === 'accept' && isOutside) return 'scope';
  return type === 'user' && terms.invite === 'never' ? 'invite' : null;
}

/** Folded names by which a person is found: also by another provider, so every address counts. A group has one as written. */
export function listScopeNames(type: ResourceKey['type'], attributes: JsonObject = {}): string[] {
  const { userName, displayName } = attributes;
  if (type === 'group') return typeof displayName === 'string' ? [displayName] : [];
  const emails = listFoldedEmails(attributes);
  return typeof userName === 'string' ? [foldCase(userName), ...emails] : emails;
}

/** A name without an @ belongs to no domain; one with several could be read in two ways, and belongs to none of these. */
function areWithin(domains: readonly string[], names: readonly string[]): boolean {
  return names.every((name) => {
    const [local, domain, ...others] = foldCase(name.trim()).split('@');
    if (domain === undefined) return true;
    return local !== '' && others.length === 0 && domains.includes(domain);
  });
}

/** Answer to a write that would take an account or group over. Settings: users.adopt, groups.adopt. */
export type AdoptionPolicy = 'yes' | 'refuse' | 'ask';

const NOT_ADOPTED = {
  unknown: 'Nothing has this id.',
  'unknown-provider': 'There is no provider of this name.',
  managed: 'It is managed by the bridge already.',
  taken: 'Somebody else, whom a provider has sent, has its name or is to have its address.',
} as const;

/** Result of a takeover by an operator. `could-not-look`: it could not be found out whether it is privileged. */
export type Adoption =
  | { readonly kind: 'adopted' }
  | { readonly kind: keyof typeof NOT_ADOPTED }
  | { readonly kind: 'privileged' | 'could-not-look'; readonly reason: string };

/** Request of an operator to take an account or group over; `privileged` ones only if it says `adopt`. */
export interface AdoptionRequest {
  readonly id: string;
  readonly privileged: 'refuse' | 'adopt';
  /** Name of the provider that manages it from then on; its limits do not bind an operator. */
  readonly provider: string;
  /** True: nothing is taken over, and the result is what it would be. */
  readonly isDryRun: boolean;
}

/** Tells why nothing was taken over. */
export const toAdoptionWords = (adoption: Exclude<Adoption, { kind: 'adopted' }>) =>
  'reason' in adoption ? adoption.reason : NOT_ADOPTED[adoption.kind];

import { createMatcher } from './name.ts';
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
} as const;

/** Names by which a person is recognised who is new to the bridge. */
export const MATCHES = ['userName', 'externalId', 'address'] as const;

/** How the requests of a provider are taken. */
export type Handling = {
  readonly [Name in keyof typeof CHOICES]: (typeof CHOICES)[Name][number];
} & { readonly match: readonly (typeof MATCHES)[number][] };

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

/** The terms as far as no operator chose. */
export const DEFAULT_TERMS: ProviderTerms = {
  ...{ domains: null, groupNames: null, may: RIGHTS },
  ...{ returning: 'conflict', unknownMembers: 'refuse', nestedGroups: 'refuse' },
  match: ['userName', 'address'],
  tracedUntil: null,
};

/** Demands of a change on the limits of its provider. */
export interface Demands {
  readonly rights: readonly Right[];
  /** userNames and addresses that the change gives a person, or that the account has which it takes over. */
  readonly userNames: readonly string[];
  /** Names that the change gives a group, or that the group has which it takes over. */
  readonly groupNames: readonly string[];
}

/** Reason why the limits of a provider forbid a change, without a name of a person; undefined: they allow it. */
export function findLimit(
  { domains, groupNames, may }: ProviderLimits,
  demands: Demands,
): string | undefined {
  const right = demands.rights.find((one) => !may.includes(one));
  if (right !== undefined) return REFUSALS[right];
  if (domains !== null && !areWithin(domains, demands.userNames)) {
    return `may have people of these mail domains alone: ${domains.join(', ')}.`;
  }
  if (groupNames === null) return undefined;
  const isAllowed = createMatcher(groupNames);
  if (demands.groupNames.every((name) => isAllowed([name]))) return undefined;
  return `may have groups of these names alone: ${groupNames.join(', ')}.`;
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

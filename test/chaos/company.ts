import { Fact } from './fact.ts';

/** Who or what was there before: to be created, to be found and taken over, or never to be touched by a provider. */
export type Origin = 'new' | 'found' | 'unmanaged';

/** Somebody, and what may be true of them. */
export interface Person {
  readonly n: number;
  readonly address: string;
  readonly origin: Origin;
  /** The actor of the provider who alone writes this person. */
  readonly actor: number;
  /** Never deleted, so that groups of every actor may have this person. */
  readonly isSteady: boolean;
  /** The SCIM id, as far as the provider knows it. */
  id: string | undefined;
  /** Whether SCIM shows this person. */
  readonly isThere: Fact<boolean>;
  readonly active: Fact<boolean>;
  readonly fullName: Fact<string>;
  /** Kept by the bridge alone. */
  readonly title: Fact<string | undefined>;
  readonly email: Fact<string>;
  readonly suspended: Fact<boolean>;
}

/** A group, and what may be true of it. */
export interface Group {
  readonly n: number;
  readonly origin: Origin;
  readonly actor: number;
  id: string | undefined;
  /** Every name that was ever asked for. */
  readonly names: Set<string>;
  readonly isThere: Fact<boolean>;
  readonly name: Fact<string>;
  readonly isOffered: Fact<boolean>;
  readonly members: Map<Person, Fact<boolean>>;
  readonly admins: Map<Person, Fact<boolean>>;
}

/** Everybody and everything of a run. */
export interface Company {
  readonly people: readonly Person[];
  readonly groups: readonly Group[];
}

/** How large a company is. */
export interface CompanySize {
  readonly people: number;
  readonly groups: number;
  readonly actors: number;
}

/** Everybody as they are before anything happens. */
export function createCompany({ people, groups, actors }: CompanySize): Company {
  return {
    people: Array.from({ length: people }, (_, n) => createPerson(n, actors)),
    groups: Array.from({ length: groups }, (_, n) => createGroup(n, actors)),
  };
}

/** The fact that this person is in this list of a group. */
export function toLink(list: Group['members'], person: Person): Fact<boolean> {
  const fact = list.get(person) ?? new Fact(false);
  list.set(person, fact);
  return fact;
}

/** An address that a person is given later. The service holds the one with which the account was made. */
export function toOtherAddress(n: number, time: number): string {
  return `person${n}.${time}@example.com`;
}

/** The first address of whose address this is. */
export function toAddress(email: string): string {
  return email.replace(/\.\d+@/, '@');
}

/** What a person is called in the beginning. */
export function toFirstName(n: number): string {
  return `Person${n} Example`;
}

function createPerson(n: number, actors: number): Person {
  const origin = toOrigin(n);
  const address = `person${n}@example.com`;
  return {
    n,
    address,
    origin,
    actor: n % actors,
    isSteady: n % 2 === 1,
    id: undefined,
    isThere: new Fact(origin !== 'new'),
    active: new Fact(true),
    fullName: new Fact(toFirstName(n)),
    title: new Fact<string | undefined>(undefined),
    email: new Fact(address),
    suspended: new Fact(false),
  };
}

function createGroup(n: number, actors: number): Group {
  const origin = toOrigin(n);
  const name = `Group ${n}`;
  return {
    n,
    origin,
    actor: n % actors,
    id: undefined,
    names: new Set([name]),
    isThere: new Fact(origin !== 'new'),
    name: new Fact(name),
    isOffered: new Fact(false),
    members: new Map(),
    admins: new Map(),
  };
}

/** Of ten, seven are created, two found, and one is nobody's. */
function toOrigin(n: number): Origin {
  if (n % 10 === 9) return 'unmanaged';
  return n % 10 === 4 || n % 10 === 7 ? 'found' : 'new';
}

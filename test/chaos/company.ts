const LATE_MS = 10_000;

/** One fact and what may be true of it: more than one value while a request was sent that nobody answered. */
export class Fact<T = boolean> {
  trespasses = 0;
  #possible: readonly T[];
  readonly #asked = new Map<T, number>();
  readonly #late = new Map<T, number>();

  constructor(now: T) {
    this.#possible = [now];
  }

  /** From now on this value may be true too. @returns what takes that back: the request was refused */
  ask(value: T): () => void {
    const before = this.#possible;
    this.#asked.set(value, this.countAsked(value) + 1);
    this.allow(value);
    return () => {
      this.#possible = before;
    };
  }

  /** The same, where it was not a provider who asked. */
  allow(value: T): void {
    if (!this.allows(value)) this.#possible = [...this.#possible, value];
  }

  /** The request was acknowledged: nothing else may be true in the end, but for what may come late. */
  acknowledge(value: T): void {
    const now = performance.now();
    const late = [...this.#late].flatMap(([one, at]) => (now - at < LATE_MS ? [one] : []));
    this.#possible = [...new Set([value, ...late])];
  }

  /** The sender of a request for this value hung up: it may be carried out after later ones. */
  hangUp(value: T): void {
    this.#late.set(value, performance.now());
  }

  allows(value: T): boolean {
    return this.#possible.includes(value);
  }

  countAsked(value: T): number {
    return this.#asked.get(value) ?? 0;
  }

  get isAsked(): boolean {
    return this.#asked.size > 0;
  }

  toString(): string {
    return this.#possible.map(String).join(' or ');
  }
}

/** One value of one fact that a request asks for. */
export interface Wish {
  ask(): void;
  acknowledge(): void;
  takeBack(): void;
  hangUp(): void;
}

/** Pairs a fact with the value that is asked for. */
export function wish<T>(fact: Fact<T>, value: T): Wish {
  let undo: (() => void) | undefined;
  return {
    ask() {
      undo = fact.ask(value);
    },
    acknowledge: () => fact.acknowledge(value),
    takeBack: () => undo?.(),
    hangUp: () => fact.hangUp(value),
  };
}

/** Who or what was there before: to be created, to be found and taken over, or never to be touched by a provider. */
type Origin = 'new' | 'found' | 'unmanaged';

function toOrigin(n: number): Origin {
  if (n % 10 === 9) return 'unmanaged';
  return n % 10 === 4 || n % 10 === 7 ? 'found' : 'new';
}

/** Somebody, and what may be true of them. */
export class Person {
  readonly n: number;
  readonly address: string;
  readonly origin: Origin;
  readonly actor: number;
  /** Never deleted, so that groups of every actor may have this person. */
  readonly isSteady: boolean;
  id: string | undefined;
  readonly isThere: Fact;
  readonly active = new Fact(true);
  readonly fullName: Fact<string>;
  readonly title = new Fact<string | undefined>(undefined);
  readonly email: Fact<string>;
  readonly suspended = new Fact(false);
  /** What the provider wants, as if every request were answered: what comes next never depends on answers. */
  readonly wanted = { isThere: false, active: false, suspended: false };

  constructor(n: number, actors: number) {
    this.n = n;
    this.address = `person${n}@example.com`;
    this.origin = toOrigin(n);
    this.actor = n % actors;
    this.isSteady = n % 2 === 1;
    this.isThere = new Fact(this.origin !== 'new');
    this.fullName = new Fact(`Person${n} Example`);
    this.email = new Fact(this.address);
  }
}

/** A group, and what may be true of it. */
export class Group {
  readonly n: number;
  readonly origin: Origin;
  readonly actor: number;
  id: string | undefined;
  readonly names: Set<string>;
  readonly isThere: Fact;
  readonly name: Fact<string>;
  readonly members = new Map<Person, Fact>();
  readonly admins = new Map<Person, Fact>();
  readonly wanted = {
    isThere: false,
    name: '',
    members: new Set<Person>(),
    admins: new Set<Person>(),
  };

  constructor(n: number, actors: number) {
    this.n = n;
    this.origin = toOrigin(n);
    this.actor = n % actors;
    this.names = new Set([`Group ${n}`]);
    this.isThere = new Fact(this.origin !== 'new');
    this.name = new Fact(`Group ${n}`);
  }
}

/** Everybody and everything of a run. */
export interface Company {
  readonly people: readonly Person[];
  readonly groups: readonly Group[];
}

/** The fact that this person is in this list of a group. */
export function toLink(list: Group['members'], person: Person): Fact {
  const fact = list.get(person) ?? new Fact(false);
  list.set(person, fact);
  return fact;
}

/** The first address of whose address this is: the service holds the one with which the account was made. */
export function toAddress(email: string): string {
  return email.replace(/\.\d+@/, '@');
}
